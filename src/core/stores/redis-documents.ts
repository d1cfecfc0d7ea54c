import { laterFormat } from '../../messages/stores.ts';
import {
  ATTEMPTS,
  isContended,
  isTaken,
  parseDocument,
  type Change,
  type Collection,
  type Documents,
  type Reading,
  type Which,
} from './documents.ts';
import type { RedisClient } from './redis.ts';
import { redisScript } from './redis-script.ts';

/**
 * Writes a document with its log entry unless another process changed it, or what the change depends on, meanwhile. `before` is its text as it was read
 * and `after` as it is to be, empty where there is none; `kept` and `gone` are its unique values. `seen` has the hash, the id and the text of each
 * document that the change depends on, one after the other: their names have the same hash tag as those of `KEYS`.
 */
const WRITE = redisScript(
  ['documents', 'uniques', 'opens', 'log', 'formats'],
  {
    id: 'text',
    before: 'text',
    after: 'text',
    kept: 'texts',
    gone: 'texts',
    seen: 'texts',
    isOpen: 'flag',
    entry: 'text',
    format: 'number',
  },
  `
local found = redis.call('get', formats)
if found and tonumber(found) > format then return 'later' end
if (redis.call('hget', documents, id) or '') ~= before then return 'changed' end
for i = 1, #seen, 3 do
  if (redis.call('hget', seen[i], seen[i + 1]) or '') ~= seen[i + 2] then return 'changed' end
end
for _, value in ipairs(kept) do
  local owner = redis.call('hget', uniques, value)
  if owner and owner ~= id then return 'taken' end
end
for _, value in ipairs(kept) do redis.call('hset', uniques, value, id) end
for _, value in ipairs(gone) do redis.call('hdel', uniques, value) end
if after == '' then redis.call('hdel', documents, id) else redis.call('hset', documents, id, after) end
redis.call(isOpen and 'sadd' or 'srem', opens, id)
if entry ~= '' then redis.call('rpush', log, entry) end
if not found then redis.call('set', formats, format) end
return 'written'`,
);

/** Stores texts by name, where none that is as great is stored. */
const RAISE = redisScript(
  ['stored'],
  { texts: 'textsByName' },
  `
for name, text in pairs(texts) do
  if (redis.call('hget', stored, name) or '') < text then redis.call('hset', stored, name, text) end
end
return 1`,
);

/** Finds a document by a unique value, in one step, so that it takes as long whether there is one or not. */
const FIND = redisScript(
  ['uniques', 'documents'],
  { value: 'text' },
  `
local id = redis.call('hget', uniques, value)
return id and redis.call('hget', documents, id)`,
);

/** Puts another entry in the place of one of the log. Entries are added only at the end, so each keeps its place. */
const REWRITE = redisScript(
  ['log'],
  { place: 'number', before: 'text', after: 'text' },
  `
if redis.call('lindex', log, place) ~= before then return 0 end
redis.call('lset', log, place, after)
return 1`,
);

/** Entries read by one command. One command for all would delay lookups. */
const PAGE = 500;

/** Documents in Redis, for all machines: one hash for each collection. */
export class RedisDocuments implements Documents {
  readonly #options: ConstructorParameters<typeof RedisDocuments>[0];

  /** Owns the client: disposing closes it. */
  constructor(options: {
    readonly redis: RedisClient;
    /** Begins all names. It has a hash tag: in a cluster they are then on one node, and a script may use them together. */
    readonly prefix: string;
    readonly format: number;
  }) {
    this.#options = options;
  }

  /** @throws Error when a later version wrote what is in Redis. */
  async requireFormat(): Promise<void> {
    const { prefix, format } = this.#options;
    const found = Number((await this.#redis.get(`${prefix}format`)) ?? format);
    if (found > format) throw new Error(laterFormat(`Redis (${prefix}*)`, found, format));
  }

  async get<T>(collection: Collection<T>, id: string): Promise<T | null> {
    const text = await this.#redis.hget(this.#name(collection.name), id);
    return text === null ? null : parseDocument(collection, text);
  }

  async find<T>(collection: Collection<T>, value: string): Promise<T | null> {
    const { uniques, documents } = this.#names(collection);
    const text = await FIND.run(this.#redis, { uniques, documents }, { value });
    return typeof text === 'string' ? parseDocument(collection, text) : null;
  }

  async list<T>(collection: Collection<T>, { customer, open }: Which = {}): Promise<T[]> {
    const texts = open
      ? await this.#opens(collection)
      : await this.#all(collection, customer === undefined ? '' : JSON.stringify(customer));
    const documents = texts.map((text) => parseDocument(collection, text));
    if (customer === undefined) return documents;
    return documents.filter((document) => (document as { readonly customer?: unknown }).customer === customer);
  }

  update<T>(collection: Collection<T>, id: string, change: (before: T | null) => Change<T>): Promise<T | null> {
    return this.updateAfter(collection, id, () => Promise.resolve(change));
  }

  async updateAfter<T>(
    collection: Collection<T>,
    id: string,
    prepare: (read: Reading) => Promise<(before: T | null) => Change<T>>,
  ): Promise<T | null> {
    const { documents } = this.#names(collection);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const seen: string[] = [];
      const change = await prepare(async (other, otherId) => {
        const name = this.#name(other.name);
        const found = await this.#redis.hget(name, otherId);
        seen.push(name, otherId, found ?? '');
        return found === null ? null : parseDocument(other, found);
      });
      const text = await this.#redis.hget(documents, id);
      const before = text === null ? null : parseDocument(collection, text);
      const after = change(before);
      if (after === null) return before;
      const outcome = await this.#write(collection, id, { text, before, after, seen });
      if (outcome === 'written') return after === 'remove' ? null : after.record;
      if (outcome === 'taken') throw isTaken(collection, id);
      if (outcome === 'later') await this.requireFormat();
    }
    throw isContended(collection, id);
  }

  async log(): Promise<readonly object[]> {
    return (await this.#logTexts()).map((text) => JSON.parse(text) as object);
  }

  async rewriteLog(change: (entry: object) => object | null): Promise<number> {
    let changed = 0;
    for (const [place, before] of (await this.#logTexts()).entries()) {
      const after = change(JSON.parse(before) as object);
      if (after === null) continue;
      const values = { place, before, after: JSON.stringify(after) };
      changed += Number(await REWRITE.run(this.#redis, { log: this.#name('audit') }, values));
    }
    return changed;
  }

  /** What Redis writes to its own disk is its operator's (docs/privacy.md). */
  scrub(): Promise<void> {
    return Promise.resolve();
  }

  async raise(group: string, texts: ReadonlyMap<string, string>): Promise<void> {
    const entries = [...texts];
    for (let i = 0; i < entries.length; i += PAGE) {
      const page = Object.fromEntries(entries.slice(i, i + PAGE));
      await RAISE.run(this.#redis, { stored: this.#name(group) }, { texts: page });
    }
  }

  async raised(group: string, names?: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (!names) return new Map(Object.entries(await this.#redis.hgetall(this.#name(group))));
    const texts = names.length === 0 ? [] : await this.#redis.hmget(this.#name(group), ...names);
    return new Map(names.flatMap((name, i) => (texts[i] ? [[name, texts[i]] as const] : [])));
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#redis.disconnect();
    return Promise.resolve();
  }

  async #logTexts(): Promise<string[]> {
    const texts: string[] = [];
    for (let page = [''], start = 0; page.length > 0; start += PAGE) {
      page = await this.#redis.lrange(this.#name('audit'), start, start + PAGE - 1);
      texts.push(...page);
    }
    return texts;
  }

  async #write<T>(
    collection: Collection<T>,
    id: string,
    write: {
      /** The document as it was read, and its text; null when there was none. */
      readonly text: string | null;
      readonly before: T | null;
      readonly after: Exclude<Change<T>, null>;
      readonly seen: readonly string[];
    },
  ): Promise<unknown> {
    const { text, before, after, seen } = write;
    const record = after === 'remove' ? null : after;
    const uniquesOf = (document: T | null): readonly string[] =>
      document === null ? [] : (collection.unique?.of(document) ?? []);
    const kept = uniquesOf(record && record.record);
    return await WRITE.run(this.#redis, this.#names(collection), {
      id,
      before: text ?? '',
      after: record === null ? '' : JSON.stringify(record.record),
      kept,
      gone: uniquesOf(before).filter((value) => !kept.includes(value)),
      seen,
      isOpen: record !== null && collection.open?.has(record.record) === true,
      entry: record?.audit ? JSON.stringify(record.audit) : '',
      format: this.#options.format,
    });
  }

  /** The texts of all documents, or of those in which a word is. */
  async #all<T>({ name }: Collection<T>, word: string): Promise<string[]> {
    const texts = new Map<string, string>();
    // A page may repeat entries of another.
    for await (const page of this.#redis.hscanStream(this.#name(name), { count: PAGE }) as AsyncIterable<string[]>) {
      for (let i = 0; i + 1 < page.length; i += 2) if (page[i + 1]!.includes(word)) texts.set(page[i]!, page[i + 1]!);
    }
    return [...texts.values()];
  }

  async #opens<T>(collection: Collection<T>): Promise<string[]> {
    const { documents, opens } = this.#names(collection);
    const ids = await this.#redis.smembers(opens);
    const texts: string[] = [];
    for (let i = 0; i < ids.length; i += PAGE) {
      const page = await this.#redis.hmget(documents, ...ids.slice(i, i + PAGE));
      texts.push(...page.filter((text) => text !== null));
    }
    return texts;
  }

  get #redis(): RedisClient {
    return this.#options.redis;
  }

  #names<T>({ name, unique, open }: Collection<T>) {
    return {
      documents: this.#name(name),
      uniques: this.#name(unique?.name ?? `${name}-unique`),
      opens: this.#name(open?.name ?? `${name}-open`),
      log: this.#name('audit'),
      formats: this.#name('format'),
    };
  }

  #name(name: string): string {
    return this.#options.prefix + name;
  }
}
