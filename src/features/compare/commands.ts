import { once } from 'node:events';
import { Option, type Command } from 'commander';
import type { Readers } from '../../feature.ts';
import { csvLine } from '../../core/files/csv-line.ts';
import { grouped } from '../../words.ts';
import { compareFiles, type ChangedRow, changedRow } from './compare-files.ts';
import { RowFile, type RowLine } from './row-file.ts';
import { randomUUID } from 'node:crypto';
import { isTemporary, readBody, retryAfterMs, send } from '../../core/outbound/client.ts';
import { Refused, Transient } from '../../core/outbound/failures.ts';
import { patient, withRetries } from '../../core/outbound/retry.ts';
import type { ClientConfig } from '../../core/settings/config.ts';
import type { Comparison } from './wire.ts';

interface Options {
  readonly server?: string;
  readonly key?: string;
  readonly format: 'ndjson' | 'csv';
}

/** Exit code when something has changed. */
const CHANGED = 3;

/** `land-lookup compare` */
export function register(program: Command, { client }: Readers): void {
  program
    .command('compare')
    .description('say which rows of a batch have changed, and why (docs/watching.md)')
    .argument('<before>', 'results that were kept: NDJSON of a batch with --detail full')
    .argument('[now]', 'results of the same places now')
    .option('--server <URL>', 'instead of a second file: ask this service; each row costs one lookup')
    .option('--key <KEY>', 'API key for --server (default: LAND_LOOKUP_KEY)')
    .addOption(new Option('--format <FORMAT>', 'of the changed rows').choices(['ndjson', 'csv']).default('ndjson'))
    .addHelpText('after', HELP)
    .action(async (before: string, now: string | undefined, { server, key, format }: Options) => {
      if ((now === undefined) === (server === undefined)) throw new Error('give a second file, or --server URL');
      await using file = await RowFile.open(before);
      await using other = now === undefined ? null : await RowFile.open(now);
      const rows = other
        ? compareFiles({ before: file, now: other })
        : compareWithServer(file, client({ url: server, key }));
      const changed = await print(rows, format);
      process.exitCode = changed > 0 ? CHANGED : 0;
    });
}

const HELP = `
Rows are matched by "custom_id", else by their number. What is printed is the changed rows, on standard output, and a sum on standard
error. A vintage in it is the day of the service's record of the data, not the day from which a law holds.

Exit code: 0 when nothing has changed, 3 when something has, 1 after an error.`;

/** Texts are written together, some thousand rows at a time. */
const WRITTEN_AT_ONCE = 64 * 1024;

/** Prints the changed rows, and returns their number. */
async function print(rows: AsyncIterable<ChangedRow | null | 'skipped'>, format: Options['format']): Promise<number> {
  const write = format === 'csv' ? csvOf : (row: ChangedRow): string => `${JSON.stringify(row)}\n`;
  let text = format === 'csv' ? csvLine(CSV_COLUMNS) : '';
  const counts = { same: 0, changed: 0, skipped: 0 };
  for await (const row of rows) {
    counts[row === null ? 'same' : row === 'skipped' ? row : 'changed']++;
    if (row !== null && row !== 'skipped') text += write(row);
    if (text.length < WRITTEN_AT_ONCE) continue;
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
    text = '';
  }
  process.stdout.write(text);
  const { same, changed, skipped } = counts;
  const left = skipped > 0 ? `, ${grouped(skipped)} not compared: their result does not say what was asked` : '';
  console.error(`${grouped(changed)} rows have changed, ${grouped(same)} have not${left}`);
  return changed;
}

const CSV_COLUMNS = [
  ...['row', 'custom_id', 'address', 'layer', 'change', 'before', 'now', 'distance_before_m', 'distance_now_m'],
  ...['cause', 'moved_m', 'vintage_before', 'vintage_now'],
];

/** A line for each layer that has changed, and for each rule. */
function csvOf({ row, custom_id: id, only, status, ...compared }: ChangedRow): string {
  if (only !== undefined) return csvLine([row, id, null, null, `only in ${only}`, ...blank(8)]);
  if (status !== undefined) {
    const words = [status.before, status.now].map((one) => [one.status, one.code ?? ''].join(' ').trim());
    return csvLine([row, id, null, null, 'status', ...words, ...blank(6)]);
  }
  const { address = null, layers = {}, rules = {}, movedM = 0, before, now } = compared;
  const end = [movedM, before?.vintage ?? null, now?.vintage ?? null];
  const ofLayers = Object.entries(layers).map(
    ([layer, { change, before: value, now: next, distanceBeforeM = null, distanceNowM = null, cause = null }]) =>
      csvLine([
        ...[row, id, address, layer, change, cellOf(value), cellOf(next), distanceBeforeM, distanceNowM, cause],
        ...end,
      ]),
  );
  const ofRules = Object.entries(rules).map(([rule, { before: then, now: today }]) =>
    csvLine([row, id, address, `rules.${rule}`, 'value', then, today, null, null, null, ...end]),
  );
  return [...ofLayers, ...ofRules].join('');
}

function blank(count: number): null[] {
  return Array.from({ length: count }, () => null);
}

function cellOf(value: unknown): string | number | boolean | null {
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return (value ?? null) as string | number | boolean | null;
}

const IDLE_MS = 60_000;
const MOST_BYTES = 4 << 20;

/** Requests under way. */
const AT_ONCE = 4;

/**
 * Yields null for a row that is the same, and `{ skipped }` for one whose question is not in its result: a place that was not found, or an area.
 * @throws Error that names the row.
 */
async function* compareWithServer(file: RowFile, at: ClientConfig): AsyncGenerator<ChangedRow | null | 'skipped'> {
  const underWay: Promise<ChangedRow | null | 'skipped'>[] = [];
  for await (const line of file.rows()) {
    const asked = ask(file, line, at);
    // Its failure is thrown where its turn comes.
    asked.catch(() => undefined);
    underWay.push(asked);
    if (underWay.length === AT_ONCE) yield await underWay.shift()!;
  }
  for (const one of underWay) yield await one;
}

async function ask(file: RowFile, line: RowLine, { url, key }: ClientConfig): Promise<ChangedRow | null | 'skipped'> {
  const { row, customId: custom_id, answer } = file.read(line);
  if (answer === null || answer.areaM2 !== undefined) return 'skipped';
  const headers = {
    ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    // A repeated request is one lookup.
    'idempotency-key': randomUUID(),
  };
  const body = JSON.stringify({ before: { ...answer, geometry: undefined } });
  const comparison = await withRetries(patient, async () => {
    const sent = await send({
      url: `${url}/api/compare`,
      method: 'POST',
      body,
      headers,
      idleMs: IDLE_MS,
      redirect: 'error',
    });
    const text = (await readBody(sent, MOST_BYTES)).toString();
    if (sent.status === 200) return JSON.parse(text) as Comparison;
    if (sent.status === 404 || sent.status === 422) return sent.status;
    const message = `${file.name}: row ${row}: the server answered ${sent.status}: ${text.slice(0, 500)}`;
    throw isTemporary(sent.status)
      ? new Transient(message, { retryAfterMs: retryAfterMs(sent.headers) })
      : new Refused(message, sent.status);
  });
  if (typeof comparison !== 'number') return changedRow({ row, custom_id }, comparison);
  const code = comparison === 404 ? 'ADDRESS_NOT_FOUND' : 'OUTSIDE_ONTARIO';
  return { row, custom_id, status: { before: { status: 200, code: null }, now: { status: comparison, code } } };
}
