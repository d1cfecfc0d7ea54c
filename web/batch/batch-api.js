/** What the page asks of the service about batches. */
import { failureOf, request, UNREACHABLE } from '../shared/api.js';

/**
 * @typedef {import('../shared/api.js').Failure} Failure
 * @typedef {'found' | 'notFound' | 'outside' | 'invalid' | 'failed'} Outcome
 * @typedef {'queued' | 'validating' | 'running' | 'finalizing' | 'completed' | 'failed' | 'cancelled' | 'expired'} BatchState
 * @typedef {{
 *   id: string, state: BatchState, detail: string, rows: Record<Outcome | 'total' | 'done', number>,
 *   ratePerS: number | null, endsAt: string | null, expiresAt: string | null, error: string | null,
 * }} Batch
 * @typedef {'ndjson' | 'csv' | 'geojson' | 'parquet'} ResultFormat
 * @typedef {{ ok: true, body: Batch } | Failure} BatchAnswer
 */

/** @type {readonly ResultFormat[]} */
export const formats = ['ndjson', 'csv', 'geojson', 'parquet'];

/** @param {Batch} batch */
export const isOver = ({ state }) => ['completed', 'failed', 'cancelled', 'expired'].includes(state);

const TIMEOUT_MS = 15_000;

/**
 * Sends a file, compressed. Sent again with the same `idempotencyKey`, it makes no second batch.
 * @param {Blob | null} file null: it cannot be read any more
 * @param {{ format: 'csv' | 'ndjson', isFull: boolean, key: string, idempotencyKey: string }} options
 * @returns {Promise<BatchAnswer>}
 */
export async function sendPlaces(file, { format, isFull, key, idempotencyKey }) {
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

/**
 * How many rows a key may send in a day, and has sent today.
 * @param {string} key
 * @returns {Promise<{ ok: true, body: { rowsPerDay: number, today: number } } | Failure>}
 */
export async function readAllowance(key) {
  const answer = await request('/api/account', key, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) return answer;
  const { limits, batchRowsToday } = answer.body;
  return { ok: true, body: { rowsPerDay: limits.batchRowsPerDay, today: batchRowsToday } };
}

/** @param {Blob} file */
const compress = (file) => new Response(file.stream().pipeThrough(new CompressionStream('gzip'))).blob();

/**
 * @param {string} id
 * @param {string} key
 * @returns {Promise<BatchAnswer>}
 */
export const readBatch = (id, key) => request(pathOf(id), key, { signal: AbortSignal.timeout(TIMEOUT_MS) });

/**
 * @param {string} id
 * @param {string} key
 * @returns {Promise<BatchAnswer>}
 */
export const cancelBatch = (id, key) =>
  request(`${pathOf(id)}/cancel`, key, { method: 'POST', signal: AbortSignal.timeout(TIMEOUT_MS) });

/**
 * Begins to read the results.
 * @param {string} id
 * @param {{ format: ResultFormat, key: string }} options
 * @returns {Promise<{ ok: true, response: Response } | Failure>}
 */
export async function readResults(id, { format, key }) {
  try {
    const response = await fetch(`${pathOf(id)}/results?format=${format}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    return response.ok ? { ok: true, response } : await failureOf(response);
  } catch {
    return UNREACHABLE;
  }
}

/** @param {string} id */
const pathOf = (id) => `/api/batches/${encodeURIComponent(id)}`;
