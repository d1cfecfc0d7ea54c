import type { AskedRow } from '../../rows/row.ts';
import { idempotencyKeyReused, unavailable } from '../../shared/problems.ts';
import type { BatchBacklog, BatchInput, BatchStore, ChunkResult, NewBatch } from '../batch-store.ts';
import { hasEnded, type BatchChunk, type BatchJob } from '../job.ts';
import { rowsOfLines } from '../asked-lines.ts';
import { refusalOf, roomFor, uploadLost, type RoomLimits } from '../room.ts';
import { onRedis } from '../store-fault.ts';
import { BucketInput } from './bucket-input.ts';
import { Cleaning } from './cleaning.ts';
import type { ChunkQueue } from './chunk-queue.ts';
import { Ending } from './ending.ts';
import { LeasedChunks } from './leased-chunks.ts';
import { MissingSnapshots } from './missing-snapshots.ts';
import { inputName } from './names.ts';
import type { Objects } from './objects.ts';
import type { Records } from './records.ts';
import { Sweeping } from './sweeping.ts';

export interface BucketBatchStoreOptions extends RoomLimits {
  readonly objects: Objects;
  readonly records: Records;
  readonly queue: ChunkQueue;
  /** Time for which results are kept after the end of a batch. */
  readonly retentionMs: number;
  /** Time for which a chunk belongs to who took it. */
  readonly lockMs: number;
  readonly takeOverMs: number;
  /** Time after which the batches of a snapshot that no machine has fail. */
  readonly snapshotGoneMs: number;
  readonly onError: (cause: Error) => void;
  /** Closes the connections. */
  readonly close: () => Promise<void>;
}

/** Batches of many machines: records and queue in Redis, inputs and results in a bucket (docs/decisions/0120). */
export class BucketBatchStore implements BatchStore {
  readonly isWithKeys = true;
  readonly #options: BucketBatchStoreOptions;
  readonly #ending: Ending;
  readonly #cleaning: Cleaning;
  readonly #sweeping: Sweeping;
  readonly #missing: MissingSnapshots;
  readonly #chunks: LeasedChunks;

  constructor(options: BucketBatchStoreOptions) {
    this.#options = options;
    this.#ending = new Ending(options);
    this.#cleaning = new Cleaning(options);
    this.#sweeping = new Sweeping({ ...options, ending: this.#ending });
    this.#missing = new MissingSnapshots(options);
    this.#chunks = new LeasedChunks({ ...options, ending: this.#ending });
  }

  async receive(id: string): Promise<BatchInput> {
    const { objects, records } = this.#options;
    await onRedis(() => records.note('uploads', id));
    return new BucketInput({ id, objects, records });
  }

  async create(batch: NewBatch, input: BatchInput): Promise<BatchJob> {
    const { records } = this.#options;
    if (!(input instanceof BucketInput)) throw new TypeError('the input is of another store');
    await input.settle();
    const room = roomFor(batch, input.bytes, this.#options);
    const accepted = await onRedis(() => records.accept(batch, room));
    if (accepted.kind === 'other') throw idempotencyKeyReused();
    if (accepted.kind === 'full') throw refusalOf(batch, room, accepted.used) ?? uploadLost();
    if (accepted.kind === 'lost') throw uploadLost();
    const { kind, id } = accepted;
    const record = await onRedis(() => records.read(id));
    if (!record) throw unavailable('INTERRUPTED', 'the batch was deleted at once');
    // Redis has the batch: when the queue does not get it now, it gets it with the next sweep of any machine.
    if (kind === 'new') await this.#sweeping.enqueue(record).catch(this.#options.onError);
    else if (id !== batch.id) await input.discard();
    return record.job;
  }

  async find(id: string): Promise<BatchJob | null> {
    const record = await onRedis(() => this.#options.records.read(id));
    return record?.job ?? null;
  }

  async list(keyId: string, { limit, after }: { limit: number; after: string | null }): Promise<readonly BatchJob[]> {
    const records = await onRedis(() => this.#options.records.listOf(keyId, limit, after));
    return records.map(({ job }) => job);
  }

  rowsOn(keyId: string, day: string): Promise<number> {
    return onRedis(() => this.#options.records.rowsOn(keyId, day));
  }

  async cancel(id: string): Promise<BatchJob | null> {
    await this.#stop(id, '');
    return await this.find(id);
  }

  async fail(id: string, error: string): Promise<void> {
    await this.#stop(id, error);
  }

  async remove(id: string): Promise<void> {
    await onRedis(() => this.#options.records.forget(id));
    await this.#cleaning.deleteObjects(id);
  }

  async take(canAnswer: (snapshot: string) => boolean): Promise<BatchChunk | null> {
    return await onRedis(async () => {
      await this.#sweeping.sweep();
      return await this.#chunks.take(canAnswer);
    });
  }

  renew(chunk: BatchChunk): Promise<boolean> {
    return this.#chunks.renew(chunk);
  }

  async rowsOf(chunk: BatchChunk): Promise<readonly AskedRow[]> {
    const { id } = chunk.job;
    const text = await this.#options.objects.get(inputName(id, chunk.index));
    if (text !== null) return rowsOfLines(text);
    await this.fail(id, 'its input is not in the object store any more');
    throw unavailable('STORAGE_UNREACHABLE', `${inputName(id, chunk.index)} is not in the object store`);
  }

  countLoss(chunk: BatchChunk): Promise<number> {
    return this.#chunks.countLoss(chunk);
  }

  finish(chunk: BatchChunk, result: ChunkResult, bill: () => Promise<void>): Promise<boolean> {
    return this.#chunks.finish(chunk, result, bill);
  }

  giveBack(chunk: BatchChunk): Promise<void> {
    return this.#chunks.giveBack(chunk);
  }

  async readyChunks({ id }: BatchJob): Promise<number> {
    const record = await onRedis(() => this.#options.records.read(id));
    return record === null || record.job.state === 'expired' ? 0 : record.ready;
  }

  async readResult({ id }: BatchJob, index: number): Promise<string> {
    return await this.#ending.readResult({ id, index });
  }

  async ended(endedAfter: string): Promise<readonly BatchJob[]> {
    const records = await onRedis(() => this.#options.records.endedAfter(Date.parse(endedAfter)));
    return records.map(({ job }) => job).filter(hasEnded);
  }

  async neededSnapshots(): Promise<ReadonlySet<string>> {
    return await onRedis(() => this.#options.records.liveSnapshots());
  }

  async reportSnapshots(faults: ReadonlyMap<string, string | null>): Promise<void> {
    for (const { id, error } of await this.#missing.report(faults)) await this.fail(id, error);
  }

  async backlog(): Promise<BatchBacklog> {
    return await onRedis(() => this.#options.records.backlog());
  }

  async expire(nowMs: number): Promise<void> {
    await onRedis(() => this.#cleaning.clean(nowMs));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { queue, close, objects } = this.#options;
    await queue[Symbol.asyncDispose]();
    await close();
    objects[Symbol.dispose]();
  }

  async #stop(id: string, error: string): Promise<void> {
    const outcome = await onRedis(() => this.#options.records.stop(id, error));
    if (outcome === 'ending') await this.#ending.end(id);
  }
}
