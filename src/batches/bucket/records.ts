import type { RedisClient } from '../../stores/redis.ts';
import { ANSWER_KEPT_MS } from '../../shared/contract/journal.ts';
import { DAY_MS } from '../../shared/time.ts';
import type { BatchBacklog, NewBatch } from '../batch-store.ts';
import { chunksOf, type BatchState } from '../job.ts';
import { fixedPart, recordOf, type BatchRecord } from './batch-record.ts';
import { AGAIN_MS, ChunkRecords, type RecordsOptions } from './chunk-records.ts';
import { PREFIX, runScript, type ScriptName } from './scripts.ts';
import { sha256 } from '../../files/sha256.ts';

/** How long the record of a batch stays after its results. */
const FORGET_MS = 30 * DAY_MS;

/** Bounds that a new batch has to fit into, in bytes. */
export interface Room {
  readonly stored: number;
  readonly expected: number;
  readonly mostOfKey: number;
  readonly mostOfAll: number;
  readonly mostBatches: number;
}

/** `new` and `again` with the id of the batch; `other`: the `Idempotency-Key` is of another request; the rest with what is used. */
export interface Accepted {
  readonly kind: 'new' | 'again' | 'other' | 'lost' | 'batches' | 'key room' | 'room' | 'rows';
  readonly value: string;
}

type CleaningList = 'uploads' | 'trash';

/** The records of batches in Redis. */
export class Records {
  readonly chunks: ChunkRecords;
  readonly #options: RecordsOptions;

  constructor(options: RecordsOptions) {
    this.#options = options;
    this.chunks = new ChunkRecords(options);
  }

  async accept(batch: NewBatch, room: Room): Promise<Accepted> {
    const { id, keyId, snapshot, rows, rowsPerDay, createdAt, idempotency } = batch;
    const [kind, value = ''] = await this.#run<[Accepted['kind'], string?]>('accept', [
      ...[id, keyId, snapshot, chunksOf(batch), rows, rowsPerDay, createdAt.slice(0, 10)],
      ...(idempotency ? [sha256(idempotency.key), sha256(idempotency.requestHash)] : ['', '']),
      ...[JSON.stringify(fixedPart(batch)), ANSWER_KEPT_MS],
      ...[room.stored, room.expected, room.mostOfKey, room.mostOfAll, room.mostBatches],
    ]);
    return { kind, value };
  }

  async read(id: string): Promise<BatchRecord | null> {
    return recordOf(await this.#redis.hgetall(`${PREFIX}job:${id}`));
  }

  /** Newest first. */
  async listOf(keyId: string, limit: number, after: string | null): Promise<readonly BatchRecord[]> {
    const from = after === null ? '+' : `(${after}`;
    const ids = await this.#redis.zrevrangebylex(`${PREFIX}key:${keyId}`, from, '-', 'LIMIT', 0, limit);
    return await this.#readAll(ids);
  }

  /** Rows that a key had accepted on a day. */
  async rowsOn(keyId: string, day: string): Promise<number> {
    return Number(await this.#redis.get(`${PREFIX}rows:${keyId}:${day}`));
  }

  /** Those whose end this machine reports, oldest first. */
  async endedAfter(ms: number): Promise<readonly BatchRecord[]> {
    const { machine, takeOverMs } = this.#options;
    return await this.#readAll(await this.#run<string[]>('ended', [ms, machine, takeOverMs]));
  }

  async backlog(): Promise<BatchBacklog> {
    const [queued, running, oldest] = await this.#run<[string, string, string]>('backlog', []);
    const oldestQueuedMs = oldest === '' ? null : acceptedMs(oldest);
    return { queued: Number(queued), running: Number(running), oldestQueuedMs };
  }

  /** @param error empty: the client cancels. `ending`: the batch has to be ended now. */
  async stop(id: string, error: string): Promise<'over' | 'under way' | 'ending'> {
    return await this.#run('stop', [id, error]);
  }

  async finish(id: string, state: BatchState, end: BatchEnd): Promise<void> {
    const { endedMs, expiresMs, readable } = end;
    await this.#run('finish', [
      id,
      state,
      iso(endedMs),
      endedMs,
      iso(expiresMs),
      expiresMs,
      readable,
      this.#options.machine,
    ]);
  }

  async forget(id: string): Promise<void> {
    await this.#run('forget', [id]);
  }

  async markExpired(id: string, nowMs: number): Promise<void> {
    await this.#run('expire', [id, iso(nowMs), nowMs, FORGET_MS, this.#options.machine]);
  }

  /** Snapshots of unfinished batches. */
  async liveSnapshots(): Promise<ReadonlySet<string>> {
    return new Set(await this.#redis.hvals(`${PREFIX}live`));
  }

  /** Unfinished batches of a snapshot. */
  async unfinishedOf(snapshot: string): Promise<readonly string[]> {
    const live = Object.entries(await this.#redis.hgetall(`${PREFIX}live`));
    return live.flatMap(([id, needed]) => (needed === snapshot ? [id] : []));
  }

  /** Notes the snapshots that this machine has. Returns for how long no machine has had those that it lacks, in ms. */
  async presence(has: readonly string[], lacks: readonly string[]): Promise<readonly number[]> {
    return await this.#run('presence', [JSON.stringify(has), JSON.stringify(lacks)]);
  }

  /** Snapshots that have a queue. */
  async queues(): Promise<ReadonlySet<string>> {
    return new Set(await this.#redis.smembers(`${PREFIX}queues`));
  }

  /** Deletes a queue that is empty and whose batches have all ended. */
  async closeQueue(snapshot: string): Promise<void> {
    await this.#run('closeQueue', [snapshot]);
  }

  /** Batches whose last step is open. */
  async ending(): Promise<readonly string[]> {
    return await this.#redis.smembers(`${PREFIX}ending`);
  }

  /** Batches that have to be put into the queue, or again. */
  async toEnqueue(): Promise<readonly string[]> {
    return await this.#redis.zrangebyscore(`${PREFIX}enqueue`, '-inf', await this.#nowMs(), 'LIMIT', 0, 5);
  }

  async enqueued(id: string): Promise<void> {
    await this.#redis.zadd(`${PREFIX}enqueue`, 'XX', (await this.#nowMs()) + AGAIN_MS, id);
  }

  /** Notes the present time for an id in a list of what has to be cleaned up. */
  async note(list: CleaningList, id: string): Promise<void> {
    await this.#redis.zadd(PREFIX + list, await this.#nowMs(), id);
  }

  /** Ids whose time is at least `ageMs` ago. */
  async due(list: CleaningList, ageMs: number, limit: number): Promise<readonly string[]> {
    return await this.#redis.zrangebyscore(PREFIX + list, '-inf', (await this.#nowMs()) - ageMs, 'LIMIT', 0, limit);
  }

  async expiring(nowMs: number, limit: number): Promise<readonly string[]> {
    return await this.#redis.zrangebyscore(`${PREFIX}expiring`, '-inf', nowMs, 'LIMIT', 0, limit);
  }

  async strike(list: CleaningList, id: string): Promise<void> {
    await this.#redis.zrem(PREFIX + list, id);
  }

  get #redis(): RedisClient {
    return this.#options.redis;
  }

  async #nowMs(): Promise<number> {
    const [seconds, microseconds] = (await this.#redis.time()).map(Number);
    return seconds! * 1000 + Math.floor(microseconds! / 1000);
  }

  async #readAll(ids: readonly string[]): Promise<readonly BatchRecord[]> {
    const records = await Promise.all(ids.map((id) => this.read(id)));
    return records.filter((record) => record !== null);
  }

  #run<T>(name: ScriptName, args: readonly (string | number)[]): Promise<T> {
    return runScript<T>(this.#redis, name, args);
  }
}

export interface BatchEnd {
  readonly endedMs: number;
  readonly expiresMs: number;
  /** Chunks that can be read, with those behind a gap. */
  readonly readable: number;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** When a batch was accepted, from its id. */
function acceptedMs(id: string): number {
  return Number.parseInt(id.slice('bat_'.length, 'bat_'.length + 12), 16);
}
