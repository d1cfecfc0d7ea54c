import type { RedisClient } from '../../stores/redis.ts';
import type { OutcomeCounts } from '../../rows/outcomes.ts';
import type { ChunkName } from '../job.ts';
import type { StoredAnswers } from '../parts.ts';
import { pairsOf, recordOf, type BatchRecord } from './batch-record.ts';
import * as scripts from './chunk-scripts.ts';
import { PREFIX } from './scripts.ts';

/** Time after which a batch without progress is put into the queue again, in case that Redis lost a part of it. */
export const AGAIN_MS = 15 * 60_000;

export interface RecordsOptions {
  readonly redis: RedisClient;
  /** Name of this machine's usage journal. */
  readonly machine: string;
  readonly takeOverMs: number;
}

export type StoredChunk = Required<StoredAnswers>;

export type Lease =
  /** `mayBeBilled`: this machine had it before, and may have billed it. */
  | { readonly kind: 'take'; readonly record: BatchRecord; readonly mayBeBilled: boolean }
  /** Another machine may bill it until `atMs`. */
  | { readonly kind: 'later'; readonly atMs: number }
  | { readonly kind: 'skip' };

const names = { p: PREFIX };

interface RawChunk extends StoredChunk {
  readonly done?: 1;
}

/** The records of the chunks of batches in Redis: who works on each, who bills it, and where its answers are. */
export class ChunkRecords {
  readonly #options: RecordsOptions;

  constructor(options: RecordsOptions) {
    this.#options = options;
  }

  /** @param leastAgeMs takes only a chunk that this machine may bill, and that nobody has touched for so long. */
  async lease(chunk: ChunkName, token: string, { turn = 0, leastAgeMs = 0 }): Promise<Lease> {
    const { machine, takeOverMs } = this.#options;
    const { id, index } = chunk;
    const atIso = new Date().toISOString();
    const given = { id, index, token, machine, takeOverMs, atIso, turn, leastAgeMs };
    const [kind, ...rest] = (await scripts.lease.run(this.#redis, names, given)) as [Lease['kind'], ...string[]];
    if (kind === 'later') return { kind, atMs: Number(rest[0]) };
    if (kind === 'skip') return { kind };
    const [ours, ...fields] = rest;
    const record = recordOf(pairsOf(fields));
    return record ? { kind, record, mayBeBilled: ours === 'ours' } : { kind: 'skip' };
  }

  async isLeased({ id, index }: ChunkName, token: string): Promise<boolean> {
    return (await scripts.isLeased.run(this.#redis, names, { id, index, token })) === 1;
  }

  /** Returns how many threads were lost at the chunk, with this one; 0 when it is another worker's. */
  async countLoss({ id, index }: ChunkName, token: string): Promise<number> {
    return (await scripts.countLoss.run(this.#redis, names, { id, index, token })) as number;
  }

  /** Returns null when this machine may not bill the chunk; otherwise the object that is replaced by `stored`, or ''. */
  async claim(
    { id, index }: ChunkName,
    token: string,
    { stored, counts }: { readonly stored: StoredChunk; readonly counts: OutcomeCounts },
  ): Promise<string | null> {
    const { machine, takeOverMs } = this.#options;
    const { object, bytes } = stored;
    const given = { id, index, token, machine, takeOverMs, object, bytes, counts: JSON.stringify(counts) };
    const [kind, replaced = ''] = (await scripts.claim.run(this.#redis, names, given)) as ['won' | 'lost', string?];
    return kind === 'won' ? replaced : null;
  }

  /** `last`: the batch has to be ended now. */
  async done({ id, index }: ChunkName, object: string): Promise<'stored' | 'last' | 'lost'> {
    const { machine, takeOverMs } = this.#options;
    const given = { id, index, machine, object, againMs: AGAIN_MS, takeOverMs };
    return (await scripts.done.run(this.#redis, names, given)) as 'stored' | 'last' | 'lost';
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

  /** Chunks that this machine may bill and has not finished. */
  async ownClaims(): Promise<readonly ChunkName[]> {
    const names = await this.#redis.smembers(`${PREFIX}claims:${this.#options.machine}`);
    return names.map((name) => ({
      id: name.slice(0, name.indexOf('/')),
      index: Number(name.slice(name.indexOf('/') + 1)),
    }));
  }

  get #redis(): RedisClient {
    return this.#options.redis;
  }
}
