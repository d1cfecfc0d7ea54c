/** Asks a server what became of the rows of a batch: each costs one lookup there. */
import { randomUUID } from 'node:crypto';
import { isTemporary, readBody, retryAfterMs, send } from '../../core/outbound/client.ts';
import { Refused, Transient } from '../../core/outbound/failures.ts';
import { patient, withRetries } from '../../core/outbound/retry.ts';
import type { ClientConfig } from '../../core/settings/config.ts';
import { changedRow, type ChangedRow } from './compare-files.ts';
import type { RowFile, RowLine } from './row-file.ts';
import type { Comparison } from './wire.ts';

const IDLE_MS = 60_000;
const MOST_BYTES = 4 << 20;

/** Requests under way. */
const AT_ONCE = 4;

/**
 * Yields null for a row that is the same, and `{ skipped }` for one whose question is not in its result: a place that was not found, or an area.
 * @throws Error that names the row.
 */
export async function* compareWithServer(
  file: RowFile,
  at: ClientConfig,
): AsyncGenerator<ChangedRow | null | 'skipped'> {
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
