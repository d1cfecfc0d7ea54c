import { join } from 'node:path';
import { AppError } from '../../shared/problems.ts';
import { DAY_MS, dayOf } from '../../shared/time.ts';
import { makePrivateFolder } from '../../files/private.ts';
import type { AskedRow } from '../../rows/row.ts';
import {
  EXPIRED_AT_ONCE,
  RECORD_KEPT_MS,
  type BatchBacklog,
  type BatchInput,
  type BatchStore,
  type ChunkResult,
  type NewBatch,
} from '../batch-store.ts';
import { chunksOf, hasEnded, type BatchChunk, type BatchJob } from '../job.ts';
import { refusalOf, roomFor, uploadLost, type RoomLimits } from '../room.ts';
import { onDisk } from '../store-fault.ts';
import { Allowance } from './allowance.ts';
import { BatchFiles } from './batch-files.ts';
import { BatchRoom, type MachineRoomLimits } from './batch-room.ts';
import { BatchTable } from './batch-table.ts';
import { ChunkQueue } from './chunk-queue.ts';
import { LeasedChunks } from './leased-chunks.ts';
import { QueueDatabase } from './queue-database.ts';
import { Upload, Uploads } from './uploads.ts';

export interface MachineBatchStoreOptions extends MachineRoomLimits {
  /** Folder of the batches, `DATA_DIR/batches`. */
  readonly dir: string;
  /** Time for which results are kept after the end of a batch. */
  readonly retentionMs: number;
  /** Time after which a chunk of a process that has died is given to another. */
  readonly leaseMs?: number;
  /** The clock; another one for tests. */
  readonly nowMs?: () => number;
}

const LEASE_MS = 60_000;

/** Batches in an SQLite file and in files beside it, which the processes of one machine share (docs/decisions/0120). */
export class MachineBatchStore implements BatchStore {
  readonly isWithKeys = false;
  readonly #database: QueueDatabase;
  readonly #files: BatchFiles;
  readonly #chunks: ChunkQueue;
  readonly #allowance: Allowance;
  readonly #table: BatchTable;
  readonly #room: BatchRoom;
  readonly #uploads: Uploads;
  readonly #leased: LeasedChunks;
  readonly #limits: RoomLimits;
  readonly #nowMs: () => number;

  /** Opens the queue, and makes it and its folder when they are missing. @throws Error when a later version wrote it. */
  constructor({ dir, retentionMs, leaseMs = LEASE_MS, nowMs = Date.now, ...limits }: MachineBatchStoreOptions) {
    // The rows are addresses of clients.
    makePrivateFolder(dir);
    this.#database = new QueueDatabase(join(dir, 'queue.sqlite'));
    const { db } = this.#database;
    this.#files = new BatchFiles(dir);
    this.#chunks = new ChunkQueue(db);
    this.#allowance = new Allowance(db);
    this.#table = new BatchTable(db, { chunks: this.#chunks, allowance: this.#allowance, retentionMs });
    this.#room = new BatchRoom(db, dir, limits);
    this.#uploads = new Uploads({ database: this.#database, files: this.#files, room: this.#room, leaseMs, nowMs });
    this.#leased = new LeasedChunks({
      ...{ database: this.#database, files: this.#files, chunks: this.#chunks, table: this.#table, room: this.#room },
      ...{ leaseMs, nowMs },
    });
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  receive(id: string): Promise<BatchInput> {
    return onDisk(() => this.#uploads.begin(id));
  }

  async create(batch: NewBatch, input: BatchInput): Promise<BatchJob> {
    if (!(input instanceof Upload)) throw new Error('this input is not of this store');
    const job = await onDisk(async () => {
      if (!(await this.#files.sync(batch.id))) throw uploadLost();
      await this.#files.syncFolders();
      const freeBytes = await this.#room.freeBytes();
      const made = this.#database.change(() => this.#table.earlier(batch) ?? this.#add(batch, input, freeBytes));
      await this.#database.sync();
      return made;
    });
    if (job.id !== batch.id) await input.discard();
    else input.end();
    return job;
  }

  find(id: string): Promise<BatchJob | null> {
    return onDisk(() => this.#table.find(id));
  }

  list(keyId: string, { limit, after }: { limit: number; after: string | null }): Promise<readonly BatchJob[]> {
    return onDisk(() => this.#table.list(keyId, limit, after));
  }

  rowsOn(keyId: string, day: string): Promise<number> {
    return onDisk(() => this.#allowance.used(keyId, day));
  }

  cancel(id: string): Promise<BatchJob | null> {
    return this.#changeAndSync(() => {
      this.#table.cancel(id, this.#nowMs());
      return this.#table.find(id);
    });
  }

  async remove(id: string): Promise<void> {
    await this.#changeAndSync(() => {
      this.#table.remove(id);
    });
    await this.#files.remove(id);
  }

  take(canAnswer: (snapshot: string) => boolean, mayTake?: (keyId: string) => boolean): Promise<BatchChunk | null> {
    return onDisk(() => this.#leased.take(canAnswer, mayTake));
  }

  renew(chunk: BatchChunk): Promise<boolean> {
    return onDisk(() => this.#leased.renew(chunk));
  }

  rowsOf({ job, index }: BatchChunk): Promise<readonly AskedRow[]> {
    return onDisk(() => this.#files.readRows(job.id, index));
  }

  countLoss(chunk: BatchChunk): Promise<number> {
    return onDisk(() => this.#leased.countLoss(chunk));
  }

  finish(chunk: BatchChunk, result: ChunkResult, bill: () => Promise<void>): Promise<boolean> {
    return onDisk(() => this.#leased.finish(chunk, result, bill));
  }

  giveBack(chunk: BatchChunk): Promise<void> {
    return onDisk(() => {
      this.#leased.giveBack(chunk);
    });
  }

  async fail(id: string, error: string): Promise<void> {
    await this.#changeAndSync(() => {
      this.#table.end(id, { state: 'failed', error, nowMs: this.#nowMs() });
    });
  }

  readyChunks({ id, rows }: BatchJob): Promise<number> {
    return onDisk(() => {
      const job = this.#table.find(id);
      if (!job || job.state === 'expired') return 0;
      // What a batch has answered can be read when it has ended, also behind chunks that nobody will answer.
      if (hasEnded(job)) return (this.#chunks.lastDone(id) ?? -1) + 1;
      return this.#chunks.firstOpen(id) ?? chunksOf({ rows });
    });
  }

  readResult({ id }: BatchJob, index: number): Promise<string> {
    return onDisk(async () => {
      const job = this.#table.find(id);
      const isDone = this.#chunks.isDone({ batchId: id, index });
      if (job && job.state !== 'expired' && !isDone) return '';
      const text = isDone ? await this.#files.readResult(id, index) : null;
      if (text === null) throw new AppError('GONE', 'the results of this batch were deleted');
      return text;
    });
  }

  ended(endedAfter: string): Promise<readonly BatchJob[]> {
    return onDisk(() => this.#table.ended(endedAfter));
  }

  neededSnapshots(): Promise<ReadonlySet<string>> {
    return onDisk(() => this.#table.neededSnapshots());
  }

  async reportSnapshots(faults: ReadonlyMap<string, string | null>): Promise<void> {
    for (const [snapshot, error] of faults) {
      if (error === null) continue;
      const ids = await onDisk(() => this.#table.unfinishedOf(snapshot));
      for (const id of ids) await this.fail(id, error);
    }
  }

  backlog(): Promise<BatchBacklog> {
    return onDisk(() => this.#table.backlog());
  }

  async expire(nowMs: number): Promise<void> {
    await onDisk(async () => {
      const expired = this.#database.change(() => {
        const ids = this.#table.expired(nowMs, EXPIRED_AT_ONCE);
        for (const id of ids) this.#table.expire(id, nowMs);
        this.#table.forget(nowMs - RECORD_KEPT_MS, EXPIRED_AT_ONCE);
        this.#allowance.forgetBefore(dayOf(nowMs - 2 * DAY_MS));
        return ids;
      });
      for (const id of expired) await this.#files.remove(id);
      await this.#uploads.clean(EXPIRED_AT_ONCE);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#uploads[Symbol.dispose]();
    await this.#database[Symbol.asyncDispose]();
  }

  #add(batch: NewBatch, upload: Upload, freeBytes: number): BatchJob {
    if (!this.#uploads.take(batch.id)) throw uploadLost();
    const { keyId, rows } = batch;
    const day = batch.createdAt.slice(0, 10);
    const room = roomFor(batch, upload.bytes, this.#limits);
    const refusal = refusalOf(batch, room, { ...this.#room.used(keyId), rows: this.#allowance.used(keyId, day) });
    if (refusal) throw refusal;
    this.#room.checkDisk(freeBytes, this.#room.promisedBytes + room.expected);
    this.#allowance.change({ keyId, day, rows });
    return this.#table.add(batch, { storedBytes: room.stored, expectedBytes: room.expected, day });
  }

  #changeAndSync<T>(work: () => T): Promise<T> {
    return onDisk(async () => {
      const result = this.#database.change(work);
      await this.#database.sync();
      return result;
    });
  }
}
