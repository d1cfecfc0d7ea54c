/** What the page asks of the service about batches. */
import { isPassing, request, type Failure, type Result } from '../shared/api.ts';
import type { BatchBody as Batch } from '../../src/features/batches/wire/batch.ts';

export type { Batch };

export type Outcome = Exclude<keyof Batch['rows'], 'total' | 'done'>;
export type ResultFormat = 'ndjson' | 'geojson' | 'parquet';

export const formats: readonly ResultFormat[] = ['ndjson', 'geojson', 'parquet'];

export const isOver = ({ state }: Batch) => ['completed', 'failed', 'cancelled', 'expired'].includes(state);

/** Sends a file, compressed. Sent again with the same `idempotencyKey`, it makes no second batch. `file` null: it cannot be read any more. */
export async function sendPlaces(
  file: Blob | null,
  given: { format: 'csv' | 'ndjson'; isFull: boolean; key: string; idempotencyKey: string },
): Promise<Result<Batch>> {
  const body = file && (await compress(file).catch(() => null));
  if (!body) return { ok: false, problem: { code: 'UNREADABLE' }, retryAfterS: null };
  return request(`/api/batches?detail=${given.isFull ? 'full' : 'plain'}`, given.key, {
    method: 'POST',
    signal: null,
    body,
    headers: {
      'Content-Type': given.format === 'csv' ? 'text/csv' : 'application/x-ndjson',
      'Content-Encoding': 'gzip',
      'Idempotency-Key': given.idempotencyKey,
    },
  });
}

const compress = (file: Blob) => new Response(file.stream().pipeThrough(new CompressionStream('gzip'))).blob();

export const readBatch = (id: string, key: string): Promise<Result<Batch>> => request(pathOf(id), key);

export const cancelBatch = (id: string, key: string): Promise<Result<Batch>> =>
  request(`${pathOf(id)}/cancel`, key, { method: 'POST' });

/** Begins to read the results. `after`: the row before the first, for NDJSON. */
export function readResults(
  id: string,
  { format, key, after = 0 }: { format: ResultFormat; key: string; after?: number },
): Promise<Result<Response>> {
  const from = after > 0 ? `&after=${after}` : '';
  const path = `${pathOf(id)}/results?format=${format}${from}`;
  return request(path, key, { signal: null }, (response) => Promise.resolve(response));
}

const pathOf = (id: string) => `/api/batches/${encodeURIComponent(id)}`;

/** A batch of a minute is asked for every second, a long one more rarely. */
const FIRST_POLL_MS = 500;
const LONGEST_POLL_MS = 5000;

/**
 * Follows a batch to its end, to a failure that does not pass, or until it is not wanted any more. `onWaiting`: the server does not answer, or does so
 * again.
 */
export async function followBatch(
  { id, key }: { id: string; key: string },
  given: {
    isWanted: () => boolean;
    onBatch: (batch: Batch) => void;
    onWaiting: (isWaiting: boolean) => void;
    onFailure: (failure: Failure) => void;
  },
) {
  let isWaiting = false;
  for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(waitMs * 1.2, LONGEST_POLL_MS)) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    if (!given.isWanted()) return;
    const answer = await readBatch(id, key);
    if (!given.isWanted()) return;
    if (!answer.ok && !isPassing(answer)) {
      given.onFailure(answer);
      return;
    }
    if (isWaiting || !answer.ok) given.onWaiting(!answer.ok);
    isWaiting = !answer.ok;
    if (answer.ok) given.onBatch(answer.body);
    if (answer.ok && isOver(answer.body)) return;
  }
}
