import { Option, type Command } from 'commander';
import type { Readers } from '../../feature.ts';
import { csvLine } from '../../core/files/csv-line.ts';
import { printed } from '../../core/terminal/standard-output.ts';
import { grouped } from '../../words.ts';
import { compareFiles, type ChangedRow, changedRow } from './compare-files.ts';
import { RowFile, type RowLine } from './row-file.ts';
import { randomUUID } from 'node:crypto';
import { isTemporary, readBody, retryAfterMs, send, type OutboundRequest } from '../../core/outbound/client.ts';
import { Refused, Transient } from '../../core/outbound/failures.ts';
import { patient, withRetries } from '../../core/outbound/retry.ts';
import type { ClientConfig } from '../../core/settings/config.ts';
import type { ProblemDocument } from '../../messages/wire/problem.ts';
import { unlessRefused } from './answer-text.ts';
import type { Comparison } from './wire.ts';

interface Options {
  readonly server?: string;
  readonly key?: string;
  readonly format: 'ndjson' | 'csv';
}

/** Null: it is the same. `skipped`: its question is not in its result. */
type Compared = ChangedRow | null | 'skipped';

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

/** Prints the changed rows, and returns their number. @throws Error when they cannot be written. */
async function print(rows: AsyncIterable<Compared>, format: Options['format']): Promise<number> {
  const write = format === 'csv' ? csvOf : (row: ChangedRow): string => `${JSON.stringify(row)}\n`;
  let text = format === 'csv' ? csvLine(CSV_COLUMNS) : '';
  const counts = { same: 0, changed: 0, skipped: 0 };
  for await (const row of rows) {
    counts[row === null ? 'same' : row === 'skipped' ? row : 'changed']++;
    if (row !== null && row !== 'skipped') text += write(row);
    if (text.length < WRITTEN_AT_ONCE) continue;
    await printed(text);
    text = '';
  }
  await printed(text);
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
function csvOf(row: ChangedRow): string {
  return recordsOf(row)
    .map((record) => csvLine(CSV_COLUMNS.map((column) => cellOf(record[column]))))
    .join('');
}

function recordsOf({ row, custom_id, only, status, ...compared }: ChangedRow): Readonly<Record<string, unknown>>[] {
  const name = { row, custom_id };
  if (only !== undefined) return [{ ...name, change: `only in ${only}` }];
  if (status !== undefined) {
    const [before, now] = [status.before, status.now].map((one) => `${one.status} ${one.code ?? ''}`.trim());
    return [{ ...name, change: 'status', before, now }];
  }
  const { address, layers = {}, rules = {}, movedM, before, now } = compared;
  const all = { ...name, address, moved_m: movedM, vintage_before: before?.vintage, vintage_now: now?.vintage };
  return [
    ...Object.entries(layers).map(
      ([layer, { distanceBeforeM: distance_before_m, distanceNowM: distance_now_m, ...change }]) => ({
        ...all,
        ...{ layer, ...change, distance_before_m, distance_now_m },
      }),
    ),
    ...Object.entries(rules).map(([rule, change]) => ({ ...all, layer: `rules.${rule}`, change: 'value', ...change })),
  ];
}

function cellOf(value: unknown): string | number | boolean | null {
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return (value ?? null) as string | number | boolean | null;
}

const IDLE_MS = 60_000;
const MOST_BYTES = 4 << 20;

/** Requests under way. */
const AT_ONCE = 4;

/** Skips places that were not found, and areas. @throws Error that names the row. */
async function* compareWithServer(file: RowFile, at: ClientConfig): AsyncGenerator<Compared> {
  const underWay: Promise<Compared>[] = [];
  for await (const line of file.rows()) {
    const asked = ask(file, line, at);
    // Its failure is thrown where its turn comes.
    asked.catch(() => undefined);
    underWay.push(asked);
    if (underWay.length === AT_ONCE) yield await underWay.shift()!;
  }
  for (const one of underWay) yield await one;
}

async function ask(file: RowFile, line: RowLine, { url, key }: ClientConfig): Promise<Compared> {
  const { row, customId: custom_id } = line;
  const { answer } = file.read(line);
  if (answer === null || answer.areaM2 !== undefined) return 'skipped';
  const request = {
    ...{ url: `${url}/api/compare`, method: 'POST', idleMs: IDLE_MS, redirect: 'error' },
    body: JSON.stringify({ before: { ...answer, geometry: undefined } }),
    headers: {
      ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      // A repeated request is one lookup.
      'idempotency-key': randomUUID(),
    },
  } as const satisfies OutboundRequest;
  return withRetries(patient, async () => {
    const { status, headers, ...sent } = await send(request);
    const text = (await readBody(sent, MOST_BYTES)).toString();
    const said = unlessRefused(() => JSON.parse(text) as Partial<Comparison & ProblemDocument> | null);
    if (status === 200 && said?.changed) return changedRow({ row, custom_id }, said as Comparison);
    const { code } = said ?? {};
    // A server without this route answers 404 too.
    if (code === 'ADDRESS_NOT_FOUND' || code === 'OUTSIDE_ONTARIO')
      return { row, custom_id, status: { before: { status: 200, code: null }, now: { status, code } } };
    const message = `${file.name}: row ${row}: the server answered ${status}: ${text.slice(0, 500)}`;
    throw isTemporary(status)
      ? new Transient(message, { retryAfterMs: retryAfterMs(headers) })
      : new Refused(message, status);
  });
}
