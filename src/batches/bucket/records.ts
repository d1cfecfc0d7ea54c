import type { RedisClient } from '../../stores/redis.ts';
import { ANSWER_KEPT_MS } from '../../shared/contract/journal.ts';
import { RECORD_KEPT_MS, type BatchBacklog, type NewBatch } from '../batch-store.ts';
import { chunksOf, hasEnded, type BatchJob, type BatchState } from '../job.ts';
import type { BatchReads } from '../parts.ts';
import { fixedPart, recordOf, type BatchRecord } from './batch-record.ts';
import { AGAIN_MS, ChunkRecords, type RecordsOptions } from './chunk-records.ts';
import * as scripts from './batch-scripts.ts';
import { PREFIX } from './scripts.ts';
import type { Room, UsedRoom } from '../room.ts';
import { sha256 } from '../../files/sha256.ts';

/** `new` and `again` with the id of the batch; `other`: the `Idempotency-Key` is of another request; `full` with what is used. */
export type Accepted =
  | { readonly kind: 'new' | 'again'; readonly id: string }
  | { readonly kind: 'other' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'full'; readonly used: UsedRoom };

const names = { p: PREFIX };

type CleaningList = 'uploads' | 'trash';

/** The records of batches in Redis. */
export class Records implements BatchReads {
  readonly chunks: ChunkRecords;
  readonly #options: RecordsOptions;

  constructor(options: RecordsOptions) {
    this.#options = options;
    this.chunks = new ChunkRecords(options);
  }

  async accept(batch: NewBatch, room: Room): Promise<Accepted> {
    const { id, keyId, snapshot, rows, rowsPerDay, createdAt, idempotency } = batch;
    const answer = await scripts.accept.run(this.#redis, names, {
      ...{ id, keyId, snapshot, rows, rowsPerDay },
      ...room,
      chunks: chunksOf(batch),
      day: createdAt.slice(0, 10),
      sameKey: idempotency ? sha256(idempotency.key) : '',
      sameRequest: idempotency ? sha256(idempotency.requestHash) : '',
      sameMs: ANSWER_KEPT_MS,
      record: JSON.stringify(fixedPart(batch)),
    });
    const [kind, ...rest] = answer as [Accepted['kind'], ...string[]];
    if (kind === 'other' || kind === 'lost') return { kind };
    if (kind !== 'full') return { kind, id: rest[0]! };
    const [batches, ofKey, ofAll, ofDay] = rest.map(Number) as [number, number, number, number];
    return { kind, used: { batches, ofKey, ofAll, rows: ofDay } };
  }

  async read(id: string): Promise<BatchRecord | null> {
    return recordOf(await this.#redis.hgetall(`${PREFIX}job:${id}`));
  }

  async find(id: string): Promise<BatchJob | null> {
    return (await this.read(id))?.job ?? null;
  }

  async list(keyId: string, limit: number, after: string | null): Promise<readonly BatchJob[]> {
    const from = after === null ? '+' : `(${after}`;
    const ids = await this.#redis.zrevrangebylex(`${PREFIX}key:${keyId}`, from, '-', 'LIMIT', 0, limit);
    return await this.#findAll(ids);
  }

  async rowsOn(keyId: string, day: string): Promise<number> {
    return Number(await this.#redis.get(`${PREFIX}rows:${keyId}:${day}`));
  }

  async readyChunks({ id }: BatchJob): Promise<number> {
    return Number(await this.#redis.hget(`${PREFIX}job:${id}`, 'ready'));
  }

  /** Those whose end this machine reports. */
  async ended(endedAfter: string): Promise<readonly BatchJob[]> {
    const { machine, takeOverMs } = this.#options;
    const ids = await scripts.ended.run(this.#redis, names, {
      afterMs: Date.parse(endedAfter),
      machine,
      goneMs: takeOverMs,
      nowMs: Date.now(),
    });
    return (await this.#findAll(ids as string[])).filter(hasEnded);
  }

  async backlog(): Promise<BatchBacklog> {
    const counted = await scripts.backlog.run(this.#redis, names, {});
    const [queued, running, oldest] = counted as [string, string, string];
    const oldestQueuedMs = oldest === '' ? null : acceptedMs(oldest);
    return { queued: Number(queued), running: Number(running), oldestQueuedMs };
  }

  /** @param error empty: the client cancels. `ending`: the batch has to be ended now. */
  async stop(id: string, error: string): Promise<'over' | 'under way' | 'ending'> {
    return (await scripts.stop.run(this.#redis, names, { id, error, takeOverMs: this.#options.takeOverMs })) as
      'over' | 'under way' | 'ending';
  }

  async finish(id: string, state: BatchState, end: BatchEnd): Promise<void> {
    const times = { endedAt: iso(end.endedMs), expiresAt: iso(end.expiresMs) };
    await scripts.finish.run(this.#redis, names, { id, state, ...end, ...times, machine: this.#options.machine });
  }

  async forget(id: string): Promise<void> {
    await scripts.forget.run(this.#redis, names, { id });
  }

  async markExpired(id: string, nowMs: number): Promise<void> {
    const end = { endedAt: iso(nowMs), endedMs: nowMs, machine: this.#options.machine };
    await scripts.expire.run(this.#redis, names, { id, ...end, forgetMs: RECORD_KEPT_MS });
  }

  async neededSnapshots(): Promise<ReadonlySet<string>> {
    return new Set(await this.#redis.hvals(`${PREFIX}live`));
  }

  /** Unfinished batches of a snapshot. */
  async unfinishedOf(snapshot: string): Promise<readonly string[]> {
    const live = Object.entries(await this.#redis.hgetall(`${PREFIX}live`));
    return live.flatMap(([id, needed]) => (needed === snapshot ? [id] : []));
  }

  /** Notes the snapshots that this machine has. Returns for how long no machine has had those that it lacks, in ms. */
  async presence(has: readonly string[], lacks: readonly string[]): Promise<readonly number[]> {
    return (await scripts.presence.run(this.#redis, names, { has, lacks })) as readonly number[];
  }

  /** Snapshots that have a queue. */
  async queues(): Promise<ReadonlySet<string>> {
    return new Set(await this.#redis.smembers(`${PREFIX}queues`));
  }

  /** Forgets that a snapshot had a queue. Returns false when it has one again, because a batch was accepted meanwhile. */
  async forgetQueue(snapshot: string): Promise<boolean> {
    return (await scripts.forgetQueue.run(this.#redis, names, { snapshot })) === 1;
  }

  /** Batches whose last step is open. */
  async ending(): Promise<readonly string[]> {
    return await this.#redis.smembers(`${PREFIX}ending`);
  }

  /** Batches that have to be put into the queue, or again. */
  async toEnqueue(): Promise<readonly string[]> {
    return await this.#redis.zrangebyscore(`${PREFIX}enqueue`, '-inf', await this.nowMs(), 'LIMIT', 0, 5);
  }

  async enqueued(id: string): Promise<void> {
    await this.#redis.zadd(`${PREFIX}enqueue`, 'XX', (await this.nowMs()) + AGAIN_MS, id);
  }

  /** Notes the present time for an id in a list of what has to be cleaned up. */
  async note(list: CleaningList, id: string): Promise<void> {
    await this.#redis.zadd(PREFIX + list, await this.nowMs(), id);
  }

  /** Notes the present time for an id that is in the list. Returns false when it is not: a batch was made of the upload, or it was given up. */
  async noteAgain(list: CleaningList, id: string): Promise<boolean> {
    await this.#redis.zadd(PREFIX + list, 'XX', await this.nowMs(), id);
    return (await this.#redis.zscore(PREFIX + list, id)) !== null;
  }

  /** Ids whose time is at least `ageMs` ago. */
  async due(list: CleaningList, ageMs: number, limit: number): Promise<readonly string[]> {
    return await this.#redis.zrangebyscore(PREFIX + list, '-inf', (await this.nowMs()) - ageMs, 'LIMIT', 0, limit);
  }

  async expiring(nowMs: number, limit: number): Promise<readonly string[]> {
    return await this.#redis.zrangebyscore(`${PREFIX}expiring`, '-inf', nowMs, 'LIMIT', 0, limit);
  }

  async strike(list: CleaningList, id: string): Promise<void> {
    await this.#redis.zrem(PREFIX + list, id);
  }

  /** Redis's time: that of all machines. */
  async nowMs(): Promise<number> {
    const [seconds, microseconds] = (await this.#redis.time()).map(Number);
    return seconds! * 1000 + Math.floor(microseconds! / 1000);
  }

  get #redis(): RedisClient {
    return this.#options.redis;
  }

  async #findAll(ids: readonly string[]): Promise<readonly BatchJob[]> {
    const jobs = await Promise.all(ids.map((id) => this.find(id)));
    return jobs.filter((job) => job !== null);
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
