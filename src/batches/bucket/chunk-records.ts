import type { RedisClient } from '../../stores/redis.ts';
import type { OutcomeCounts } from '../../rows/outcomes.ts';
import { pairsOf, recordOf, type BatchRecord } from './batch-record.ts';
import { PREFIX, runScript, type ScriptName } from './scripts.ts';

/** Time after which a batch without progress is put into the queue again, in case that Redis lost a part of it. */
export const AGAIN_MS = 15 * 60_000;

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

export type Lease =
  | { readonly kind: 'take'; readonly record: BatchRecord }
  /** Another machine may bill it until `atMs`. */
  | { readonly kind: 'later'; readonly atMs: number }
  | { readonly kind: 'skip' };

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
    const args = [chunk.id, chunk.index, token, machine, takeOverMs, new Date().toISOString(), turn, leastAgeMs];
    const [kind, ...rest] = await this.#run<[Lease['kind'], ...string[]]>('lease', args);
    if (kind === 'later') return { kind, atMs: Number(rest[0]) };
    const record = kind === 'take' ? recordOf(pairsOf(rest)) : null;
    return record ? { kind: 'take', record } : { kind: 'skip' };
  }

  async isLeased({ id, index }: ChunkName, token: string): Promise<boolean> {
    return (await this.#run<number>('isLeased', [id, index, token])) === 1;
  }

  /** Returns how many threads were lost at the chunk, with this one; 0 when it is another worker's. */
  async countLoss({ id, index }: ChunkName, token: string): Promise<number> {
    return await this.#run('countLoss', [id, index, token]);
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

  #run<T>(name: ScriptName, args: readonly (string | number)[]): Promise<T> {
    return runScript<T>(this.#redis, name, args);
  }
}
