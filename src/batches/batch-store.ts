import type { OutcomeCounts } from '../rows/outcomes.ts';
import type { AskedRow } from '../rows/row.ts';
import { DAY_MS } from '../shared/time.ts';
import type { BatchChunk, BatchJob } from './job.ts';

/** The record of a batch stays so much longer than its results. */
export const RECORD_KEPT_MS = 30 * DAY_MS;

/** Batches of each kind that one call of `expire` deletes. */
export const EXPIRED_AT_ONCE = 20;

/** The input of a batch while it arrives. Nothing of it is left behind after `discard` or a crash. */
export interface BatchInput {
  /** Stores the rows of the next chunk; all but the last hold `ROWS_PER_CHUNK`. @throws AppError when there is no room. */
  add(rows: readonly AskedRow[]): Promise<void>;
  discard(): Promise<void>;
}

/** What never changes of a batch. */
export type FixedPart = Pick<
  BatchJob,
  | 'id'
  | 'keyId'
  | 'customer'
  | 'detail'
  | 'further'
  | 'callbackUrl'
  | 'snapshot'
  | 'rows'
  | 'createdAt'
  | 'inputBytes'
  | 'ignoredColumns'
>;

export interface NewBatch extends FixedPart {
  /** The client's `Idempotency-Key` and the hash of what it was sent with; null without one. */
  readonly idempotency: { readonly key: string; readonly requestHash: string } | null;
  /** Most rows that the key may have accepted on one day (UTC). */
  readonly rowsPerDay: number;
}

/** What a chunk's answers are. */
export interface ChunkResult {
  /** One line of NDJSON for each row, as `GET /api/batches/{id}/results` gives it; a text or its UTF-8. */
  readonly text: string | Uint8Array;
  readonly counts: OutcomeCounts;
}

/** Batches of all keys that have not ended. */
export interface BatchBacklog {
  /** None of their rows was taken yet. */
  readonly queued: number;
  readonly running: number;
  /** When the oldest of the queued ones was accepted, in ms since 1970; null: none is queued. */
  readonly oldestQueuedMs: number | null;
}

/**
 * Batches, their inputs and results, and the queue of chunks. One on the machine (SQLite and files), one for many machines (a queue in Redis,
 * objects in a bucket); the tests run on both. What can be read stands in the journal: answers are shown after they are billed, however a batch ends.
 */
export interface BatchStore extends AsyncDisposable {
  /** Begins to receive the rows of a batch that does not exist yet. */
  receive(id: string): Promise<BatchInput>;
  /**
   * Makes a batch of rows that have arrived. When it resolves, the batch is on the disk. Returns the earlier batch for a repeated `Idempotency-Key`.
   * @throws AppError RATE_LIMITED when the day's rows are used up, BAD_REQUEST for an `Idempotency-Key` of another request.
   */
  create(batch: NewBatch, input: BatchInput): Promise<BatchJob>;
  /** Null when there is none, or when it was deleted. */
  find(id: string): Promise<BatchJob | null>;
  /** Newest first; those older than the batch `after`. */
  list(keyId: string, page: { readonly limit: number; readonly after: string | null }): Promise<readonly BatchJob[]>;
  /** Returns the rows that a key had accepted on a day, such as `2026-11-22` (UTC). */
  rowsOn(keyId: string, day: string): Promise<number>;
  /** Asks for the end of a batch. Its rows that are not under way are never answered. Returns null when there is none. */
  cancel(id: string): Promise<BatchJob | null>;
  /** Deletes a batch with its input and results at once; chunks under way store nothing. */
  remove(id: string): Promise<void>;

  /**
   * Takes a chunk to work on, of a batch with such a snapshot and, unless the queue is with the keys, such a key; keys take turns, batches of one key
   * come in their order. Null when none is left. Until `finish`, `giveBack` or the end of the lease nobody else gets it.
   */
  take(canAnswer: (snapshot: string) => boolean, mayTake?: (keyId: string) => boolean): Promise<BatchChunk | null>;
  /** Prolongs the lease. False when the chunk is not this worker's any more: then its result must not be billed. */
  renew(chunk: BatchChunk): Promise<boolean>;
  rowsOf(chunk: BatchChunk): Promise<readonly AskedRow[]>;
  /** The answers of a chunk that may be billed already, where the store has them: they are billed and shown as they are. Null: its rows are answered. */
  claimedAnswers(chunk: BatchChunk): Promise<string | null>;
  /** Counts that a lookup thread was lost at this chunk. Returns how often that happened since it was first taken, whoever had it; 0 when the lease is lost. */
  countLoss(chunk: BatchChunk): Promise<number>;
  /**
   * Stores the answers durably, then calls `bill`, which must be repeatable, then makes them visible. A crash in between leads to the same again. The
   * last chunk of a batch ends the batch. False, and nothing happened, when the lease is lost, the batch fails or is deleted.
   */
  finish(chunk: BatchChunk, result: ChunkResult, bill: () => Promise<void>): Promise<boolean>;
  /** Lets others have the chunk. */
  giveBack(chunk: BatchChunk): Promise<void>;
  /** Ends a batch with an error, with what is shown until then. It waits for answers that may be billed already: until they are shown, the batch has its error and has not ended. */
  fail(id: string, error: string): Promise<void>;

  /** Chunks whose answers can be read, counted from the first without a gap. */
  readyChunks(job: BatchJob): Promise<number>;
  /** The answers of a chunk that can be read. @throws AppError GONE when they were deleted. */
  readResult(job: BatchJob, index: number): Promise<string>;
  /**
   * The bytes of a file that is made of the answers of a batch that has ended: those that were kept under this name, otherwise those that are made. They are kept once
   * all of them were taken, if there is room, and deleted with the batch.
   */
  keptOrMade(job: BatchJob, name: string, make: () => AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;

  /** Batches that have ended since `endedAfter` (ISO 8601), oldest first, so that each end is reported also after a crash. */
  ended(endedAfter: string): Promise<readonly BatchJob[]>;
  /** Ids of the snapshots that unfinished batches need: they must not be pruned. */
  neededSnapshots(): Promise<ReadonlySet<string>>;
  /**
   * Says of each of these snapshots why this machine cannot answer from it; null: it can. Batches of a snapshot that is gone fail: on one machine at
   * once and with this reason, with many machines when none has said for an hour that it can.
   */
  reportSnapshots(faults: ReadonlyMap<string, string | null>): Promise<void>;
  /** For the metrics. */
  backlog(): Promise<BatchBacklog>;
  /** Deletes results that have expired, and inputs whose upload has ended without a batch. Does a bounded amount at once. */
  expire(nowMs: number): Promise<void>;
}
