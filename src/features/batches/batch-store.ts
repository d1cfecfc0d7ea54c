import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { makePrivateFolder } from '../../core/files/make-folder.ts';
import type { AskedRow } from './rows/row.ts';
import { unavailable } from '../../messages/problems.ts';
import { DAY_MS, dayOf } from '../../messages/time.ts';
import { type BatchChunk, type BatchJob, type ChunkResult, type NewBatch, nameOf } from './job.ts';
import { ArrivingInput, rowsOfLines, takeUpload, onDisk } from './store/arriving-input.ts';
import { BatchFiles } from './store/batch-files.ts';
import { BatchTable } from './store/batch-table.ts';
import { ChunkQueue } from './store/chunk-queue.ts';
import { type StoreParts, LeasedChunks } from './store/leased-chunks.ts';
import { QueueDatabase } from './store/queue-database.ts';
import { type RoomLimits, expectedBytesOf, gone, refusalOf, uploadLost, UsedRoom } from './store/room.ts';

const LEASE_MS = 60_000;

/** The record of a batch stays so much longer than its results. */
const RECORD_KEPT_MS = 30 * DAY_MS;

/** Batches of each kind that one call of `expire` deletes. */
const EXPIRED_AT_ONCE = 20;

/** Folders that are looked at before others get the main thread. */
const CHECKED_PER_TURN = 100;

/** One for each format that is made of the answers. */
const MOST_KEPT_FILES = 3;

/**
 * The batches that the processes of a machine share, their inputs and results, and the queue of chunks: an SQLite file, and files beside it
 * (docs/decisions/0120). What can be read stands in the journal: answers are shown after they are billed, however a batch ends.
 * Each method throws AppError DB_ERROR with `Retry-After` when the disk fails.
 */
export class BatchStore implements AsyncDisposable {
  readonly mark: string;
  readonly #limits: RoomLimits;
  readonly #parts: StoreParts;
  readonly #chunks: LeasedChunks;
  readonly #arriving = new Set<ArrivingInput>();

  /** Makes the queue and its folder when they are missing. @throws Error when a later version wrote the queue. */
  constructor(
    options: RoomLimits & {
      /** Folder of the batches, `DATA_DIR/batches`. */
      readonly dir: string;
      /** Of this machine, in the ids of its batches (`markOfJournal`). */
      readonly mark: string;
      /** Free disk that batches leave. */
      readonly minFreeDiskBytes: number;
      /** Time for which results are kept after the end of a batch. */
      readonly retentionMs: number;
      /** Time after which a chunk of a process that has died is given to another. */
      readonly leaseMs?: number;
      /** The clock; another one for tests. */
      readonly nowMs?: () => number;
    },
  ) {
    const { dir, minFreeDiskBytes, retentionMs, leaseMs = LEASE_MS, nowMs = Date.now } = options;
    // The rows are addresses of clients.
    makePrivateFolder(dir);
    const database = new QueueDatabase(join(dir, 'queue.sqlite'));
    const room = new UsedRoom(database.db, options);
    const files = new BatchFiles({ dir, minFreeDiskBytes, mayKeep: (id, bytes) => room.mayKeep(id, bytes) });
    const chunks = new ChunkQueue(database.db, (chunk) => files.hasAnswers(chunk));
    const table = new BatchTable(database.db, { chunks, room, retentionMs });
    this.mark = options.mark;
    this.#limits = options;
    this.#parts = { database, files, table, chunks, room, leaseMs, nowMs };
    this.#chunks = new LeasedChunks(this.#parts);
  }

  /** Begins to receive the rows of a batch that does not exist yet. Nothing of them is left behind after `discard` or a crash. */
  async receive(id: string): Promise<ArrivingInput> {
    const input = new ArrivingInput(id, {
      parts: this.#parts,
      remove: (batch) => this.remove(batch),
      onEnd: (ended) => this.#arriving.delete(ended),
    });
    this.#arriving.add(input);
    try {
      await input.begin();
    } catch (cause) {
      await input.discard().catch(() => undefined);
      throw cause;
    }
    return input;
  }

  /**
   * Makes a batch of rows that have arrived. When it resolves, the batch is on the disk. Returns the earlier batch for a repeated `Idempotency-Key`.
   * @throws AppError RATE_LIMITED when the day's rows are used up, BAD_REQUEST for an `Idempotency-Key` of another request.
   */
  async create(batch: NewBatch, input: ArrivingInput): Promise<BatchJob> {
    await input.settle();
    const freeBytes = await onDisk(() => this.#parts.files.freeBytes());
    const id = await this.#change(() => this.#parts.table.earlier(batch) ?? this.#add(batch, input.bytes, freeBytes));
    if (id === batch.id) input.end();
    else await input.discard();
    const job = await this.find(id);
    if (!job) throw unavailable('INTERRUPTED', 'the batch was deleted at once');
    return job;
  }

  /** Null when there is none, or when it was deleted. */
  find(id: string): Promise<BatchJob | null> {
    return onDisk(() => this.#parts.table.find(id));
  }

  /** Newest first; those older than the batch `after`. */
  list(
    keyId: string,
    { limit, after }: { readonly limit: number; readonly after: string | null },
  ): Promise<readonly BatchJob[]> {
    return onDisk(() => this.#parts.table.list(keyId, limit, after));
  }

  /** Returns the rows that a key had accepted on a day, such as `2026-11-22` (UTC). */
  rowsOn(keyId: string, day: string): Promise<number> {
    return onDisk(() => this.#parts.room.rowsOn(keyId, day));
  }

  /** Asks for the end of a batch. Its rows that are not under way are never answered. Returns null when there is none. */
  async cancel(id: string): Promise<BatchJob | null> {
    const { table, nowMs } = this.#parts;
    await this.#change(() => {
      table.cancel(id, nowMs());
    });
    return await this.find(id);
  }

  /** Ends a batch with an error, with what is shown until then. It waits for answers that may be billed already: until they are shown, the batch has its error and has not ended. */
  async fail(id: string, error: string): Promise<void> {
    const { table, nowMs } = this.#parts;
    await this.#change(() => {
      table.fail(id, error, nowMs());
    });
  }

  /** Deletes a batch with its input and results at once; chunks under way store nothing. */
  async remove(id: string): Promise<void> {
    const { table, files } = this.#parts;
    await this.#change(() => {
      table.remove(id);
    });
    // A folder without a record is deleted by `expire`.
    await files.remove(id).catch(() => undefined);
  }

  /**
   * Takes a chunk to work on, of a batch with such a snapshot and such a key; keys take turns, batches of one key
   * come in their order. Null when none is left. Until `finish`, `giveBack` or the end of the lease nobody else gets it.
   */
  take(canAnswer: (snapshot: string) => boolean, mayTake?: (keyId: string) => boolean): Promise<BatchChunk | null> {
    return onDisk(() => this.#chunks.take(canAnswer, mayTake));
  }

  /** Prolongs the lease. False when the chunk is not this worker's any more: then its result must not be billed. */
  renew(chunk: BatchChunk): Promise<boolean> {
    return onDisk(() => this.#chunks.renew(chunk));
  }

  async rowsOf(chunk: BatchChunk): Promise<readonly AskedRow[]> {
    const text = await onDisk(() => this.#parts.files.readRows(nameOf(chunk)));
    if (text !== null) return rowsOfLines(text);
    await this.fail(chunk.job.id, 'its input is not stored any more');
    throw unavailable('STORAGE_UNREACHABLE', `the rows of chunk ${chunk.index} of ${chunk.job.id} are not stored`);
  }

  /** The answers of a chunk that may be billed already: they are billed and shown as they are. Null: its rows are answered. */
  async claimedAnswers(chunk: BatchChunk): Promise<string | null> {
    return chunk.mayBeBilled ? await onDisk(() => this.#parts.files.readAnswers(nameOf(chunk))) : null;
  }

  /** Counts that a lookup thread was lost at this chunk. Returns how often that happened since it was first taken, whoever had it; 0 when the lease is lost. */
  countLoss(chunk: BatchChunk): Promise<number> {
    return onDisk(() => this.#chunks.countLoss(chunk));
  }

  /**
   * Stores the answers durably, then calls `bill`, which must be repeatable, then makes them visible. A crash in between leads to the same again. The
   * last chunk of a batch ends the batch. False, and nothing happened, when the lease is lost, the batch fails or is deleted.
   */
  async finish(chunk: BatchChunk, { text, counts }: ChunkResult, bill: () => Promise<void>): Promise<boolean> {
    const { files } = this.#parts;
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    if (!(await this.renew(chunk))) return false;
    // Under a name of its own: whoever else has the chunk may write answers too.
    const answers = await onDisk(() => files.writeAnswers({ ...nameOf(chunk), attempt: randomUUID() }, bytes));
    if (answers === null) return false;
    let isOurs = false;
    try {
      isOurs = await onDisk(() => this.#chunks.claim(chunk, answers));
    } finally {
      // Also when nobody knows who has the chunk: the next attempt writes its answers anew.
      if (!isOurs) await answers.drop().catch(() => undefined);
    }
    if (!isOurs) return false;
    if (!(await onDisk(() => files.sync(chunk.job.id)))) return false;
    await bill();
    return await onDisk(() => this.#chunks.show(chunk, answers, counts));
  }

  /** Lets others have the chunk. */
  giveBack(chunk: BatchChunk): Promise<void> {
    return onDisk(() => {
      this.#chunks.giveBack(chunk);
    });
  }

  /** Chunks whose answers can be read, counted from the first without a gap. */
  readyChunks({ id }: BatchJob): Promise<number> {
    const { database, table } = this.#parts;
    return onDisk(() =>
      database.read(() => {
        const job = table.find(id);
        return !job || job.state === 'expired' ? 0 : table.readyChunks(job);
      }),
    );
  }

  /** The answers of a chunk that can be read. @throws AppError GONE when they were deleted. */
  async readResult({ id }: BatchJob, index: number): Promise<string> {
    const { database, table, chunks, files } = this.#parts;
    // On one state: a batch that ends meanwhile forgets its chunks.
    const isDone = await onDisk(() =>
      database.read(() => {
        const job = table.find(id);
        if (!job || job.state === 'expired') throw gone();
        return chunks.isDone({ id, index });
      }),
    );
    if (!isDone) return '';
    const text = await onDisk(() => files.readAnswers({ id, index }));
    if (text === null) throw gone();
    return text;
  }

  /**
   * The bytes of a file that is made of the answers of a batch that has ended: those that were kept under this name, otherwise those that are made. They are kept once
   * all of them were taken, if there is room, and deleted with the batch.
   */
  keptOrMade(job: BatchJob, name: string, make: () => AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    // All files of a batch together take no more than its answers.
    const file = { id: job.id, name, mostBytes: Math.floor(job.resultBytes / MOST_KEPT_FILES) };
    return this.#parts.files.keptOrMade(file, make);
  }

  /** Batches that have ended since `endedAfter` (ISO 8601), oldest first, so that each end is reported also after a crash. */
  ended(endedAfter: string): Promise<readonly BatchJob[]> {
    return onDisk(() => this.#parts.table.ended(endedAfter));
  }

  /** Ids of the snapshots that unfinished batches need: they must not be pruned. */
  neededSnapshots(): Promise<ReadonlySet<string>> {
    return onDisk(() => this.#parts.table.neededSnapshots());
  }

  /** Says of each of these snapshots why this machine cannot answer from it; null: it can. Batches of a snapshot that is gone fail with this reason. */
  async reportSnapshots(faults: ReadonlyMap<string, string | null>): Promise<void> {
    for (const [snapshot, error] of faults) {
      if (error === null) continue;
      for (const id of await onDisk(() => this.#parts.table.unfinishedOf(snapshot))) await this.fail(id, error);
    }
  }

  /** For the metrics. */
  backlog(): Promise<ReturnType<BatchTable['backlog']>> {
    return onDisk(() => this.#parts.table.backlog());
  }

  /** Deletes results that have expired, and inputs whose upload has ended without a batch. Does a bounded amount at once. */
  async expire(nowMs: number): Promise<void> {
    const { database, files, table, room } = this.#parts;
    await onDisk(async () => {
      const expired = database.change(() => {
        const ids = table.expired(nowMs, EXPIRED_AT_ONCE);
        for (const id of ids) table.expire(id, nowMs);
        table.forget(nowMs - RECORD_KEPT_MS, EXPIRED_AT_ONCE);
        room.forgetRowsBefore(dayOf(nowMs - 2 * DAY_MS));
        return ids;
      });
      for (const id of expired) await files.remove(id);
      await this.#removeFolders(EXPIRED_AT_ONCE);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const input of this.#arriving) input.end();
    await this.#parts.database[Symbol.asyncDispose]();
  }

  #add(batch: NewBatch, storedBytes: number, freeBytes: number): string {
    const { files, room, table } = this.#parts;
    if (!takeUpload(this.#parts, batch.id)) throw uploadLost();
    const { keyId, rows } = batch;
    const day = batch.createdAt.slice(0, 10);
    const expectedBytes = expectedBytesOf(batch);
    const refusal = refusalOf(batch, storedBytes + expectedBytes, room.used(keyId, day), this.#limits);
    if (refusal) throw refusal;
    files.checkDisk(freeBytes, room.promisedBytes + expectedBytes);
    room.changeRows({ keyId, day, rows });
    table.add(batch, { storedBytes, expectedBytes, day });
    return batch.id;
  }

  /** Deletes some of the folders whose process died before it made a batch of them, or while it deleted the batch. */
  async #removeFolders(most: number): Promise<void> {
    const { database, files, nowMs } = this.#parts;
    database.change(() => database.db.prepare('DELETE FROM upload WHERE lease_ends_ms <= ?').run(nowMs()));
    // Of an expired batch only the record is kept.
    const isKept = database.db.prepare<[string, string]>(
      `SELECT 1 FROM batch WHERE id = ? AND state <> 'expired' UNION ALL SELECT 1 FROM upload WHERE id = ?`,
    );
    let left = most;
    for (const [i, id] of (await files.list()).entries()) {
      if (left === 0) return;
      if (i % CHECKED_PER_TURN === 0) await nextTurn();
      if (isKept.get(id, id) !== undefined) continue;
      await files.remove(id);
      left--;
    }
  }

  /** Changes records, and waits until that is on the disk. @throws AppError DB_ERROR when the disk fails. */
  #change<T>(work: () => T): Promise<T> {
    const { database } = this.#parts;
    return onDisk(async () => {
      const result = database.change(work);
      await database.sync();
      return result;
    });
  }
}
