/** What the page asks of the service about batches. */
import type { AccountBody } from '../../src/messages/wire/account.ts';
import { failureOf, request, UNREACHABLE, type Failure } from '../shared/api.ts';

export type Outcome = 'found' | 'notFound' | 'outside' | 'invalid' | 'failed';
type BatchState = 'queued' | 'validating' | 'running' | 'finalizing' | 'completed' | 'failed' | 'cancelled' | 'expired';
export type Batch = {
  id: string;
  state: BatchState;
  detail: string;
  rows: Record<Outcome | 'total' | 'done', number>;
  ratePerS: number | null;
  endsAt: string | null;
  expiresAt: string | null;
  error: string | null;
};
export type ResultFormat = 'ndjson' | 'geojson' | 'parquet';
type BatchAnswer = { ok: true; body: Batch } | Failure;

export const formats: readonly ResultFormat[] = ['ndjson', 'geojson', 'parquet'];

export const isOver = ({ state }: Batch) => ['completed', 'failed', 'cancelled', 'expired'].includes(state);

const TIMEOUT_MS = 15_000;

/** Sends a file, compressed. Sent again with the same `idempotencyKey`, it makes no second batch. `file` null: it cannot be read any more. */
export async function sendPlaces(
  file: Blob | null,
  {
    format,
    isFull,
    key,
    idempotencyKey,
  }: { format: 'csv' | 'ndjson'; isFull: boolean; key: string; idempotencyKey: string },
): Promise<BatchAnswer> {
  const compressed = file && (await compress(file).catch(() => null));
  if (!compressed) return { ok: false, problem: { code: 'UNREADABLE' }, retryAfterS: null };
  return request(`/api/batches?detail=${isFull ? 'full' : 'plain'}`, key, {
    method: 'POST',
    headers: {
      'Content-Type': format === 'csv' ? 'text/csv' : 'application/x-ndjson',
      'Content-Encoding': 'gzip',
      'Idempotency-Key': idempotencyKey,
    },
    body: compressed,
  });
}

/** How many rows a key may send in a day, and has sent today. */
export async function readAllowance(
  key: string,
): Promise<{ ok: true; body: { rowsPerDay: number; today: number } } | Failure> {
  const answer = await request<AccountBody>('/api/account', key, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) return answer;
  const { limits, batchRowsToday } = answer.body;
  return { ok: true, body: { rowsPerDay: limits.batchRowsPerDay, today: batchRowsToday } };
}

const compress = (file: Blob) => new Response(file.stream().pipeThrough(new CompressionStream('gzip'))).blob();

export const readBatch = (id: string, key: string): Promise<BatchAnswer> =>
  request(pathOf(id), key, { signal: AbortSignal.timeout(TIMEOUT_MS) });

export const cancelBatch = (id: string, key: string): Promise<BatchAnswer> =>
  request(`${pathOf(id)}/cancel`, key, { method: 'POST', signal: AbortSignal.timeout(TIMEOUT_MS) });

/** Begins to read the results. `after`: the row before the first, for NDJSON. */
export async function readResults(
  id: string,
  { format, key, after = 0 }: { format: ResultFormat; key: string; after?: number },
): Promise<{ ok: true; response: Response } | Failure> {
  try {
    const from = after > 0 ? `&after=${after}` : '';
    const response = await fetch(`${pathOf(id)}/results?format=${format}${from}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    return response.ok ? { ok: true, response } : await failureOf(response);
  } catch {
    return UNREACHABLE;
  }
}

const pathOf = (id: string) => `/api/batches/${encodeURIComponent(id)}`;
