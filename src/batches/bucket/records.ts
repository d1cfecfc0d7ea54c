import { createHash } from 'node:crypto';
import type { RedisClient } from '../../accounts/redis.ts';
import type { OutcomeCounts } from '../../rows/outcomes.ts';
import { ANSWER_KEPT_MS } from '../../shared/contract/journal.ts';
import { DAY_MS } from '../../shared/time.ts';
import type { BatchBacklog, NewBatch } from '../batch-store.ts';
import { chunksOf, type BatchState } from '../job.ts';
import { fixedPart, pairsOf, recordOf, type BatchRecord } from './batch-record.ts';
import { PREFIX, runScript, type ScriptName } from './scripts.ts';

/** Time after which a batch without progress is put into the queue again, in case that Redis lost a part of it. */
const AGAIN_MS = 15 * 60_000;
/** How long the record of a batch stays after its results. */
const FORGET_MS = 30 * DAY_MS;

export interface RecordsOptions {
  readonly redis: RedisClient;
  /** Name of this machine's usage journal. */
  readonly machine: string;
  readonly takeOverMs: number;
}

export interface ChunkName {
  readonly id: string;
  readonly index: number;
}

export interface StoredChunk {
  readonly object: string;
  readonly bytes: number;
}

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

export type Lease =
  | { readonly kind: 'take'; readonly record: BatchRecord }
  /** Another machine may bill it until `atMs`. */
  | { readonly kind: 'later'; readonly atMs: number }
  | { readonly kind: 'skip' };

type CleaningList = 'uploads' | 'trash';

/** The records of batches in Redis. */
export class Records {
  readonly #options: RecordsOptions;

  constructor(options: RecordsOptions) {
    this.#options = options;
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

  /** @param leastAgeMs takes only a chunk that this machine may bill, and that nobody has touched for so long. */
  async lease(chunk: ChunkName, token: string, { turn = 0, leastAgeMs = 0 }): Promise<Lease> {
    const { machine, takeOverMs } = this.#options;
    const args = [chunk.id, chunk.index, token, machine, takeOverMs, new Date().toISOString(), turn, leastAgeMs];
    const [kind, ...rest] = await this.#run<[Lease['kind'], ...string[]]>('lease', args);
    if (kind === 'later') return { kind, atMs: Number(rest[0]) };
    const record = kind === 'take' ? recordOf(pairsOf(rest)) : null;
    return record ? { kind: 'take', record } : { kind: 'skip' };
  }

  async isLeased({ id, index }: ChunkName, token: string): Promise<boolean> {
    return (await this.#run<number>('isLeased', [id, index, token])) === 1;
  }

  /** Returns null when this machine may not bill the chunk; otherwise the object that is replaced by `stored`, or ''. */
  async claim(
    { id, index }: ChunkName,
    token: string,
    { stored, counts }: { readonly stored: StoredChunk; readonly counts: OutcomeCounts },
  ): Promise<string | null> {
    const { machine, takeOverMs } = this.#options;
    const args = [id, index, token, machine, takeOverMs, stored.object, stored.bytes, JSON.stringify(counts)];
    const [kind, replaced = ''] = await this.#run<['won' | 'lost', string?]>('claim', args);
    return kind === 'won' ? replaced : null;
  }

  /** `last`: the batch has to be ended now. */
  async done({ id, index }: ChunkName, object: string): Promise<'stored' | 'last' | 'lost'> {
    return await this.#run('done', [id, index, this.#options.machine, object, AGAIN_MS]);
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

  /** The chunks that are done, by index, as long as the batch has not ended. */
  async doneChunks(id: string): Promise<ReadonlyMap<number, StoredChunk>> {
    const texts = Object.entries(await this.#redis.hgetall(`${PREFIX}chunks:${id}`));
    const chunks = texts.map(([index, text]) => [Number(index), JSON.parse(text) as RawChunk] as const);
    return new Map(chunks.filter(([, chunk]) => chunk.done === 1));
  }

  async doneChunk({ id, index }: ChunkName): Promise<StoredChunk | null> {
    const text = await this.#redis.hget(`${PREFIX}chunks:${id}`, String(index));
    const chunk = text === null ? null : (JSON.parse(text) as RawChunk);
    return chunk?.done === 1 ? chunk : null;
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

  /** Chunks that this machine may bill and has not finished. */
  async ownClaims(): Promise<readonly ChunkName[]> {
    const names = await this.#redis.smembers(`${PREFIX}claims:${this.#options.machine}`);
    return names.map((name) => ({
      id: name.slice(0, name.indexOf('/')),
      index: Number(name.slice(name.indexOf('/') + 1)),
    }));
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

interface RawChunk extends StoredChunk {
  readonly done?: 1;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** When a batch was accepted, from its id. */
function acceptedMs(id: string): number {
  return Number.parseInt(id.slice('bat_'.length, 'bat_'.length + 12), 16);
}
