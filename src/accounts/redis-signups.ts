import type { RedisClient } from './redis.ts';
import { byAge, FINISHED, type SignupChange, type SignupRecord, type SignupStore } from './signup-store.ts';

/** The hash tag of the keys: a script may use them together. */
const SIGNUPS = '{land-lookup:keys}:signups';
const UNFINISHED = '{land-lookup:keys}:signups-unfinished';

/**
 * Writes a record unless another process changed it meanwhile. `KEYS` records, ids of the unfinished; `ARGV` id, the record as it was read
 * (empty: there must be none), the record (empty: remove it), `1` while it is unfinished.
 */
const WRITE = `
if (redis.call('hget', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
if ARGV[3] == '' then redis.call('hdel', KEYS[1], ARGV[1]) else redis.call('hset', KEYS[1], ARGV[1], ARGV[3]) end
redis.call(ARGV[4] == '1' and 'sadd' or 'srem', KEYS[2], ARGV[1])
return 1`;

/** Entries read by one command. */
const PAGE = 500;

/** Attempts to change a record that another process changes at the same moment. */
const ATTEMPTS = 10;

/** Sign-ups in the Redis of the keys. */
export class RedisSignups implements SignupStore {
  readonly #redis: RedisClient;

  constructor(redis: RedisClient) {
    this.#redis = redis;
  }

  async find(id: string): Promise<SignupRecord | null> {
    const text = await this.#redis.hget(SIGNUPS, id);
    return text === null ? null : parse(text);
  }

  async list(which: 'all' | 'unfinished'): Promise<readonly SignupRecord[]> {
    const records = which === 'all' ? await this.#all() : await this.#unfinished();
    return records.sort(byAge);
  }

  async update(id: string, change: (before: SignupRecord | null) => SignupChange): Promise<SignupRecord | null> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const text = await this.#redis.hget(SIGNUPS, id);
      const before = text === null ? null : parse(text);
      const after = change(before);
      if (after === null) return before;
      const record = after === 'remove' ? null : after;
      const isUnfinished = record !== null && !FINISHED.includes(record.state);
      const values = [id, text ?? '', record === null ? '' : JSON.stringify(record), isUnfinished ? '1' : '0'];
      if ((await this.#redis.eval(WRITE, 2, SIGNUPS, UNFINISHED, ...values)) === 1) return record;
    }
    throw new Error(`${id} is being changed by another process: try again`);
  }

  async #all(): Promise<SignupRecord[]> {
    const records = new Map<string, SignupRecord>();
    // A page may repeat entries of another.
    for await (const page of this.#redis.hscanStream(SIGNUPS, { count: PAGE }) as AsyncIterable<string[]>) {
      for (let i = 0; i + 1 < page.length; i += 2) records.set(page[i]!, parse(page[i + 1]!));
    }
    return [...records.values()];
  }

  async #unfinished(): Promise<SignupRecord[]> {
    const ids = await this.#redis.smembers(UNFINISHED);
    const records: SignupRecord[] = [];
    for (let i = 0; i < ids.length; i += PAGE) {
      const texts = await this.#redis.hmget(SIGNUPS, ...ids.slice(i, i + PAGE));
      records.push(...texts.flatMap((text) => (text === null ? [] : [parse(text)])));
    }
    return records;
  }
}

function parse(text: string): SignupRecord {
  return JSON.parse(text) as SignupRecord;
}
