import { randomUUID } from 'node:crypto';
import type { AskedRow } from '../../rows/row.ts';
import { AppError } from '../../shared/problems.ts';
import type { BatchBacklog, BatchInput, BatchStore, ChunkResult, NewBatch } from '../batch-store.ts';
import { hasEnded, type BatchChunk, type BatchJob } from '../job.ts';
import { BucketInput } from './bucket-input.ts';
import { Cleaning } from './cleaning.ts';
import type { ChunkQueue, QueueEntry } from './chunk-queue.ts';
import { Ending } from './ending.ts';
import { MissingSnapshots } from './missing-snapshots.ts';
import { inputName, resultName } from './names.ts';
import type { Objects } from './objects.ts';
import type { ChunkName } from './chunk-records.ts';
import type { Records } from './records.ts';
import { refusalOf, roomFor, type BucketRoomLimits } from './room.ts';
import { onRedis } from './store-fault.ts';
import { Sweeping } from './sweeping.ts';

export interface BucketBatchStoreOptions extends BucketRoomLimits {
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

/** Entries of the queue that one call of `take` may find to be done, cancelled or another machine's. */
const MOST_SKIPPED = 1000;

/** A chunk as `take` gave it. */
interface LeasedChunk extends BatchChunk {
  readonly token: string;
  /** Null for a chunk that did not come out of the queue: this machine was about to bill it when it stopped. */
  readonly entry: QueueEntry | null;
}

/** Batches of many machines: records and queue in Redis, inputs and results in a bucket (docs/decisions/0132). */
export class BucketBatchStore implements BatchStore {
  readonly #options: BucketBatchStoreOptions;
  readonly #ending: Ending;
  readonly #cleaning: Cleaning;
  readonly #sweeping: Sweeping;
  readonly #missing: MissingSnapshots;
  /** Tokens of the chunks that this process works on. */
  readonly #held = new Map<string, string>();

  constructor(options: BucketBatchStoreOptions) {
    this.#options = options;
    this.#ending = new Ending(options);
    this.#cleaning = new Cleaning(options);
    this.#sweeping = new Sweeping({ ...options, ending: this.#ending });
    this.#missing = new MissingSnapshots(options);
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
    const { kind, value } = await onRedis(() => records.accept(batch, room));
    if (kind !== 'new' && kind !== 'again') throw refusalOf({ kind, value }, batch, room);
    const record = await onRedis(() => records.read(value));
    if (!record) throw new AppError('DB_ERROR', 'the batch was deleted at once', { headers: { 'Retry-After': '1' } });
    // Redis has the batch: when the queue does not get it now, it gets it with the next sweep of any machine.
    if (kind === 'new') await this.#sweeping.enqueue(record).catch(this.#options.onError);
    else if (value !== batch.id) await input.discard();
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
      const { records, queue } = this.#options;
      const snapshots = [...(await records.liveSnapshots())].filter(canAnswer);
      if (snapshots.length === 0) return null;
      const own = await this.#takeOwn(canAnswer);
      if (own) return own;
      for (let skipped = 0; skipped < MOST_SKIPPED; skipped++) {
        const token = randomUUID();
        const entry = await queue.take(snapshots, token);
        if (!entry) return null;
        const chunk = await this.#lease(entry, token);
        if (chunk) return chunk;
      }
      return null;
    });
  }

  async renew(chunk: BatchChunk): Promise<boolean> {
    const { token, entry } = chunk as LeasedChunk;
    const { records, lockMs } = this.#options;
    // The record has the last word: without the queue's lock the chunk is only likely to be given to another.
    await entry?.extendLock(token, lockMs).catch(() => 0);
    const isOurs = await onRedis(() => records.chunks.isLeased(nameOf(chunk), token));
    if (!isOurs) this.#held.delete(keyOf(nameOf(chunk)));
    return isOurs;
  }

  async rowsOf(chunk: BatchChunk): Promise<readonly AskedRow[]> {
    const { id } = chunk.job;
    const text = await this.#options.objects.get(inputName(id, chunk.index));
    if (text !== null) return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as AskedRow]));
    await this.fail(id, 'its input is not in the object store any more');
    throw new AppError('DB_ERROR', `${inputName(id, chunk.index)} is not in the object store`);
  }

  async finish(chunk: BatchChunk, { text, counts }: ChunkResult, bill: () => Promise<void>): Promise<boolean> {
    const { objects, records, takeOverMs } = this.#options;
    const { token } = chunk as LeasedChunk;
    const name = nameOf(chunk);
    if (!(await onRedis(() => records.chunks.isLeased(name, token)))) return this.#lost(chunk, null);
    const object = resultName(name.id, name.index, randomUUID());
    await objects.put(object, text);
    const stored = { object, bytes: Buffer.byteLength(text) };
    const claim = () => onRedis(() => records.chunks.claim(name, token, { stored, counts }));
    const sinceAsked = stopwatch();
    let replaced = await claim();
    // This process may have stood still since Redis gave it the right.
    if (replaced !== null && sinceAsked() > takeOverMs / 2) replaced = await claim();
    if (replaced === null) return this.#lost(chunk, object);
    if (replaced !== '') await objects.delete(replaced).catch(() => undefined);
    await bill();
    const outcome = await onRedis(() => records.chunks.done(name, object));
    this.#held.delete(keyOf(name));
    if (outcome === 'lost') return false;
    await this.#leaveQueue(chunk as LeasedChunk);
    if (outcome === 'last') await this.#ending.end(name.id);
    return true;
  }

  async giveBack(chunk: BatchChunk): Promise<void> {
    const { token, entry } = chunk as LeasedChunk;
    this.#held.delete(keyOf(nameOf(chunk)));
    // Without the queue's lock the entry is another's, or will be.
    await onRedis(async () => entry?.moveToWait(token).catch(() => undefined));
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

  /** Gives the machine the chunk of an entry; null when it is done, cancelled or another machine's. */
  async #lease(entry: QueueEntry, token: string): Promise<LeasedChunk | null> {
    const lease = await this.#options.records.chunks.lease(entry.data, token, { turn: entry.opts.priority ?? 0 });
    if (lease.kind === 'take') return this.#hold({ job: lease.record.job, index: entry.data.index, token, entry });
    if (lease.kind === 'later') await entry.moveToDelayed(lease.atMs, token);
    else await entry.moveToCompleted(0, token, false);
    return null;
  }

  /** Takes a chunk that this machine was about to bill when its process ended. */
  async #takeOwn(canAnswer: (snapshot: string) => boolean): Promise<LeasedChunk | null> {
    const { records, lockMs } = this.#options;
    for (const name of await records.chunks.ownClaims()) {
      if (this.#held.has(keyOf(name))) continue;
      const { job } = (await records.read(name.id)) ?? {};
      if (job && !canAnswer(job.snapshot)) continue;
      const token = randomUUID();
      const lease = await records.chunks.lease(name, token, { leastAgeMs: lockMs });
      if (lease.kind === 'take') return this.#hold({ job: lease.record.job, index: name.index, token, entry: null });
    }
    return null;
  }

  #hold(chunk: LeasedChunk): LeasedChunk {
    this.#held.set(keyOf(nameOf(chunk)), chunk.token);
    return chunk;
  }

  /** Leaves a chunk to whom it belongs. */
  async #lost(chunk: BatchChunk, object: string | null): Promise<false> {
    this.#held.delete(keyOf(nameOf(chunk)));
    if (object !== null) await this.#options.objects.delete(object).catch(() => undefined);
    return false;
  }

  /** When this fails, the entry comes out of the queue again and is found to be done. */
  async #leaveQueue({ job, index, token, entry }: LeasedChunk): Promise<void> {
    const { queue } = this.#options;
    const leaving = entry ? entry.moveToCompleted(0, token, false) : queue.hurry(job.snapshot, { id: job.id, index });
    await leaving.catch(() => undefined);
  }

  async #stop(id: string, error: string): Promise<void> {
    const outcome = await onRedis(() => this.#options.records.stop(id, error));
    if (outcome === 'ending') await this.#ending.end(id);
  }
}

function nameOf({ job, index }: BatchChunk): ChunkName {
  return { id: job.id, index };
}

function keyOf({ id, index }: ChunkName): string {
  return `${id}/${index}`;
}

/** Measures ms, also those for which the process or the machine stood still: the monotonic clock does not count the latter. */
function stopwatch(): () => number {
  const [startMs, startWallMs] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - startMs, Date.now() - startWallMs);
}
