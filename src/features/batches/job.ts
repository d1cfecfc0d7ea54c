import { hash, randomBytes } from 'node:crypto';
import type { OutcomeCounts } from './rows/row.ts';

/** States of a batch, in the order in which it may go through them; the last four end it. */
export const batchStates = [
  ...(['queued', 'validating', 'running', 'finalizing'] as const),
  ...(['completed', 'failed', 'cancelled', 'expired'] as const),
] as const;
type BatchState = (typeof batchStates)[number];

/** A batch: many rows that one key asked for at once. Times are UTC, ISO 8601. */
export interface BatchJob {
  /** `bat_` and 32 hexadecimal digits: see `createBatchId`. */
  readonly id: string;
  readonly keyId: string;
  /** The payment processor's customer when the batch was accepted; null: its rows are not billed. */
  readonly customer: string | null;
  readonly state: BatchState;
  readonly detail: 'plain' | 'full';
  /** Keys of the further answers of every row. */
  readonly further: readonly string[];
  /** What is asked of features that add members to the answer of every row, by their names (`LookupDetail`). */
  readonly members: Readonly<Record<string, unknown>>;
  /** Where its end is reported; null: nowhere. */
  readonly callbackUrl: string | null;
  /** Id of the snapshot that answers every row. */
  readonly snapshot: string;
  readonly rows: number;
  /** Outcomes of the rows that are answered. */
  readonly counts: OutcomeCounts;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** When its results are deleted; null as long as it has not ended. */
  readonly expiresAt: string | null;
  /** The client has asked to cancel it; chunks under way still end. */
  readonly isCancelled: boolean;
  /** Why it failed; null unless it did. */
  readonly error: string | null;
  readonly inputBytes: number;
  /** Names of columns of the file that were not used. */
  readonly ignoredColumns: readonly string[];
  readonly resultBytes: number;
}

/** A batch that is to be made. */
export interface NewBatch extends Omit<
  BatchJob,
  'state' | 'counts' | 'startedAt' | 'endedAt' | 'expiresAt' | 'isCancelled' | 'error' | 'resultBytes'
> {
  /** The client's `Idempotency-Key` and the hash of what it was sent with; null without one. */
  readonly idempotency: { readonly key: string; readonly requestHash: string } | null;
  /** Most rows that the key may have accepted on one day (UTC). */
  readonly rowsPerDay: number;
}

/** Rows that are answered, billed and stored together. */
export const ROWS_PER_CHUNK = 1000;

/** A part of a batch: up to `ROWS_PER_CHUNK` rows in a row. */
export interface BatchChunk {
  readonly job: BatchJob;
  /** From 0. */
  readonly index: number;
  /** Its rows may be billed already: they are answered whatever became of the key since. */
  readonly mayBeBilled?: boolean;
}

/** What a chunk's answers are. */
export interface ChunkResult {
  /** One line of NDJSON for each row, as `GET /api/batches/{id}/results` gives it; a text or its UTF-8. */
  readonly text: string | Uint8Array;
  readonly counts: OutcomeCounts;
}

export interface ChunkName {
  /** Of the batch. */
  readonly id: string;
  readonly index: number;
}

export function nameOf({ job, index }: BatchChunk): ChunkName {
  return { id: job.id, index };
}

/** Ids of version 0.2.0 and before have another digit there, the version of a UUID: 4. */
const MARKED = '8';
const ID = new RegExp(`^bat_[0-9a-f]{12}(?:${MARKED}([0-9a-f]{8})[0-9a-f]{11}|[0-9a-f]{20})$`);

/** Returns the mark of the machine that has a usage journal with this id: 8 hexadecimal digits, of which it does not follow. */
export function markOfJournal(journalId: string): string {
  return hash('sha256', `batches of ${journalId}`).slice(0, 8);
}

/** Makes an id: `bat_`, the time in ms as 12 hexadecimal digits, an 8, the mark of the machine that keeps the batch, and 11 random digits. */
export function createBatchId(nowMs: number, mark: string): string {
  return `bat_${nowMs.toString(16).padStart(12, '0')}${MARKED}${mark}${randomBytes(6).toString('hex').slice(1)}`;
}

/** Returns the mark of the machine that keeps the batch; null: its id has none, or is no id. */
export function markOf(id: string): string | null {
  return ID.exec(id)?.[1] ?? null;
}

export function chunksOf({ rows }: Pick<BatchJob, 'rows'>): number {
  return Math.ceil(rows / ROWS_PER_CHUNK);
}

export function hasEnded({ state }: Pick<BatchJob, 'state'>): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled' || state === 'expired';
}

/** The state in which a batch ends: one that was cancelled and then failed has failed. */
export function endStateOf({ error, isCancelled }: Pick<BatchJob, 'error' | 'isCancelled'>): BatchState {
  if (error !== null) return 'failed';
  return isCancelled ? 'cancelled' : 'completed';
}
