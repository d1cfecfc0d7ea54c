/** What a store of batches is made of. The machine and the bucket have parts of their own; the rules over them are in `stored-batches.ts`. */
import type { OutcomeCounts } from '../rows/outcomes.ts';
import type { BatchBacklog, BatchStore, NewBatch } from './batch-store.ts';
import type { BatchChunk, BatchJob, ChunkName } from './job.ts';
import type { Room } from './room.ts';

type Awaitable<T> = T | Promise<T>;

/** Where the answers of a chunk are: a file or an object, and how many bytes it must have, where that is known. */
export interface StoredAnswers {
  readonly object: string;
  readonly bytes?: number;
}

/** Answers that are stored, and that nobody finds yet. */
export interface WrittenAnswers extends Required<StoredAnswers> {
  /** Gives them the name by which they are found, where they have another one so far. At once, so that it can be a part of a transaction. */
  readonly keep: () => void;
  readonly drop: () => Promise<void>;
}

/** A batch that nobody can go on with, and why. */
export interface Stranded {
  readonly id: string;
  readonly error: string;
}

/** What is known of batches. */
export interface BatchReads {
  find(id: string): Awaitable<BatchJob | null>;
  list(keyId: string, limit: number, after: string | null): Awaitable<readonly BatchJob[]>;
  rowsOn(keyId: string, day: string): Awaitable<number>;
  /** Chunks that can be read, counted from the first; of a batch that has ended, those behind a gap too. */
  readyChunks(job: BatchJob): Awaitable<number>;
  ended(endedAfter: string): Awaitable<readonly BatchJob[]>;
  neededSnapshots(): Awaitable<ReadonlySet<string>>;
  backlog(): Awaitable<BatchBacklog>;
}

/** Changes of what is known. Each happens wholly or not at all, and is durable when its method resolves. */
export interface BatchChanges {
  /** Time after which an upload that nobody prolongs counts as ended without a batch. */
  readonly uploadLeaseMs: number;
  beginUpload(id: string): Awaitable<void>;
  /** Says that an upload still arrives, and how many bytes of it are stored. False when it was given up. @throws AppError when there is no room. */
  prolongUpload(id: string, bytes: number): Awaitable<boolean>;
  endUpload(id: string): Awaitable<void>;
  /** Makes a batch of an upload. Returns its id, or that of the earlier batch for a repeated `Idempotency-Key`. @throws AppError when it is refused. */
  accept(batch: NewBatch, room: Room): Promise<string>;
  /** Ends a batch as soon as nothing of it is under way; with an error, as soon as nothing of it is left that may be billed and is not shown. */
  stop(id: string, error: string | null): Promise<void>;
  remove(id: string): Promise<void>;
  /** Notes what this machine says of snapshots. Returns the batches whose snapshot is gone. */
  stranded(faults: ReadonlyMap<string, string | null>): Awaitable<readonly Stranded[]>;
  /** See `BatchStore.expire`. */
  clean(nowMs: number): Promise<void>;
}

/** Who works on which chunk, and where its answers are. */
export interface ChunkLeases {
  take(...who: Parameters<BatchStore['take']>): Awaitable<BatchChunk | null>;
  renew(chunk: BatchChunk): Awaitable<boolean>;
  countLoss(chunk: BatchChunk): Awaitable<number>;
  giveBack(chunk: BatchChunk): Awaitable<void>;
  /** Decides who may bill the chunk, with these answers. False: another worker, or nobody, because the batch fails. */
  claim(chunk: BatchChunk, answers: WrittenAnswers, counts: OutcomeCounts): Awaitable<boolean>;
  /** The answers of a chunk that may be billed already; null where they are not used again. */
  claimed(chunk: BatchChunk): Awaitable<StoredAnswers | null>;
  /** Null when a chunk is not answered. */
  answersOf(job: BatchJob, index: number): Awaitable<StoredAnswers | null>;
  /** Makes answers that are billed visible, and ends the batch with its last ones. False: they are another worker's, or the batch is deleted. */
  show(chunk: BatchChunk, answers: WrittenAnswers, counts: OutcomeCounts): Promise<boolean>;
}

/** A file that is made of the answers of a batch. */
export interface KeptFile {
  /** Of the batch. */
  readonly id: string;
  readonly name: string;
  readonly mostBytes: number;
}

/** Rows and answers. */
export interface BatchBlobs {
  /** Chunks of one input that are written at once. */
  readonly writesAtOnce: number;
  /** Makes a place for a batch. */
  begin(id: string): Promise<void>;
  /** False when the place of the batch is gone. @throws AppError when there is no room. */
  writeRows(chunk: ChunkName, lines: Uint8Array): Promise<boolean>;
  /** Null when they are gone. */
  readRows(chunk: ChunkName): Promise<string | null>;
  /** Writes answers under a name of their own. Null when the place of the batch is gone. @throws AppError when there is no room. */
  writeAnswers(to: ChunkName & { readonly attempt: string }, text: Uint8Array): Promise<WrittenAnswers | null>;
  /** Null when they are gone. */
  readAnswers(answers: StoredAnswers): Promise<string | null>;
  /** See `BatchStore.keptOrMade`. What is longer than `mostBytes` is not kept. */
  keptOrMade(file: KeptFile, make: () => AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** Resolves when the names of a batch are durable; false when its place is gone. */
  sync(id: string): Promise<boolean>;
  remove(id: string): Promise<void>;
}
