import {
  NO_LIMITS,
  type AuditEntry,
  type CustomerChange,
  type CustomerRecord,
  type FoundKey,
  type KeyChange,
  type KeyRecord,
  type KeysReach,
  type KeyStore,
} from './key-store.ts';
import type { RedisClient } from './redis.ts';
import { RedisSignups } from './redis-signups.ts';
import type { WebhookSecret } from '../webhooks/secrets.ts';

/** All names have one hash tag: in a cluster they are then on one node, and a script may use them together. */
const KEYS = '{land-lookup:keys}:records';
const SECRETS = '{land-lookup:keys}:secrets';
const AUDIT = '{land-lookup:keys}:audit';
const CUSTOMERS = '{land-lookup:keys}:customers';
const LAST_USED = '{land-lookup:keys}:last-used';
const WEBHOOK_SECRETS = '{land-lookup:keys}:webhook-secrets';

/** `KEYS` the hash of last uses; `ARGV` id and time, again and again. Times in ISO 8601 compare as texts. */
const NOTE_USE = `
for i = 1, #ARGV, 2 do
  if (redis.call('hget', KEYS[1], ARGV[i]) or '') < ARGV[i + 1] then redis.call('hset', KEYS[1], ARGV[i], ARGV[i + 1]) end
end
return #ARGV`;

/** Gives a record and its customer's, which may be empty. `KEYS` secrets, records, customers; `ARGV` hash. */
const FIND = `
local id = redis.call('hget', KEYS[1], ARGV[1])
local record = id and redis.call('hget', KEYS[2], id)
if not record then return false end
local customer = cjson.decode(record)['customer']
return {record, type(customer) == 'string' and redis.call('hget', KEYS[3], customer) or ''}`;

/**
 * Writes a customer's record unless another process changed it meanwhile. `KEYS` customers, audit; `ARGV` customer, the
 * record as it was read (empty: there must be none), the record, the audit entry.
 */
const WRITE_CUSTOMER = `
if (redis.call('hget', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
redis.call('hset', KEYS[1], ARGV[1], ARGV[3])
redis.call('rpush', KEYS[2], ARGV[4])
return 1`;

/**
 * Writes a record unless another process changed it meanwhile. `KEYS` secrets, records, audit; `ARGV` id, the record as
 * it was read (empty: there must be none), the record, the audit entry, then for each secret: hash, and `1` to keep it
 * or `0` to remove it.
 */
const WRITE = `
local before = redis.call('hget', KEYS[2], ARGV[1])
if (before or '') ~= ARGV[2] then return 0 end
for i = 5, #ARGV, 2 do
  local owner = redis.call('hget', KEYS[1], ARGV[i])
  if owner and owner ~= ARGV[1] then return 0 end
end
for i = 5, #ARGV, 2 do
  if ARGV[i + 1] == '1' then redis.call('hset', KEYS[1], ARGV[i], ARGV[1]) else redis.call('hdel', KEYS[1], ARGV[i]) end
end
redis.call('hset', KEYS[2], ARGV[1], ARGV[3])
redis.call('rpush', KEYS[3], ARGV[4])
return 1`;

/** Writes the webhook secrets of a key unless another process changed them meanwhile. `ARGV` key id, as they were read (empty: none), as they are. */
const WRITE_WEBHOOK_SECRETS = `
if (redis.call('hget', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
redis.call('hset', KEYS[1], ARGV[1], ARGV[3])
return 1`;

/** Entries read by one command. */
const PAGE = 500;

/** Attempts to change a key that another process changes at the same moment. */
const ATTEMPTS = 10;

/** Keys in Redis, for all machines. A look-up is one command. */
export class RedisKeyStore implements KeyStore {
  readonly signups: RedisSignups;
  readonly #redis: RedisClient;

  /** Owns the client: disposing the store closes it. */
  constructor(redis: RedisClient) {
    this.#redis = redis;
    this.signups = new RedisSignups(redis);
  }

  reach(): Promise<KeysReach> {
    return this.#find('').then(
      () => 'all',
      () => 'none',
    );
  }

  async find(hash: string): Promise<FoundKey | null> {
    const found = await this.#find(hash);
    if (!Array.isArray(found)) return null;
    const [record, customer] = found as [string, string];
    const isSuspended = customer !== '' && parseCustomer(customer).suspendedAt !== null;
    return { ...parse(record), isSuspended };
  }

  async findById(id: string): Promise<FoundKey | null> {
    const text = await this.#redis.hget(KEYS, id);
    if (text === null) return null;
    const record = parse(text);
    const customer = record.customer === null ? null : await this.#redis.hget(CUSTOMERS, record.customer);
    return { ...record, isSuspended: customer !== null && parseCustomer(customer).suspendedAt !== null };
  }

  async list(): Promise<readonly KeyRecord[]> {
    const records = new Map<string, KeyRecord>();
    // Read in pages, because one command for all would delay lookups. A page may repeat entries of another.
    for await (const page of this.#redis.hscanStream(KEYS, { count: PAGE }) as AsyncIterable<string[]>) {
      for (let i = 0; i + 1 < page.length; i += 2) records.set(page[i]!, parse(page[i + 1]!));
    }
    return oldestFirst(records.values());
  }

  /** Reads all records in pages, and parses those that name the customer only. */
  async listOf(customer: string): Promise<readonly KeyRecord[]> {
    const records = new Map<string, KeyRecord>();
    for await (const page of this.#redis.hscanStream(KEYS, { count: PAGE }) as AsyncIterable<string[]>) {
      for (let i = 0; i + 1 < page.length; i += 2) {
        const record = page[i + 1]!.includes(customer) ? parse(page[i + 1]!) : null;
        if (record?.customer === customer) records.set(record.id, record);
      }
    }
    return oldestFirst(records.values());
  }

  async insert(change: KeyChange): Promise<void> {
    if (!(await this.#write(change, null))) throw new Error(`${change.record.id} or its secret already exists`);
  }

  async update(id: string, change: (record: KeyRecord) => KeyChange): Promise<KeyRecord | null> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const text = await this.#redis.hget(KEYS, id);
      if (text === null) return null;
      const changed = change(parse(text));
      if (await this.#write(changed, text)) return changed.record;
    }
    throw new Error(`${id} is being changed by another process: try again`);
  }

  async noteUse(lastUsedAt: ReadonlyMap<string, string>): Promise<void> {
    const entries = [...lastUsedAt];
    for (let i = 0; i < entries.length; i += PAGE) {
      await this.#redis.eval(NOTE_USE, 1, LAST_USED, ...entries.slice(i, i + PAGE).flat());
    }
  }

  async lastUsed(ids?: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (!ids) return new Map(Object.entries(await this.#redis.hgetall(LAST_USED)));
    const times = ids.length === 0 ? [] : await this.#redis.hmget(LAST_USED, ...ids);
    return new Map(ids.flatMap((id, i) => (times[i] ? [[id, times[i]] as const] : [])));
  }

  async customers(): Promise<readonly CustomerRecord[]> {
    const records = Object.values(await this.#redis.hgetall(CUSTOMERS)).map(parseCustomer);
    return records.sort((a, b) => compare(a.customer, b.customer));
  }

  async updateCustomer(
    customer: string,
    change: (before: CustomerRecord | null) => CustomerChange,
  ): Promise<CustomerRecord> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const text = await this.#redis.hget(CUSTOMERS, customer);
      const { record, audit } = change(text === null ? null : parseCustomer(text));
      const values = [customer, text ?? '', JSON.stringify(record), JSON.stringify(audit)];
      if ((await this.#redis.eval(WRITE_CUSTOMER, 2, CUSTOMERS, AUDIT, ...values)) === 1) return record;
    }
    throw new Error(`${customer} is being changed by another process: try again`);
  }

  async changeWebhookSecrets(
    keyId: string,
    change: (before: readonly WebhookSecret[]) => readonly WebhookSecret[],
  ): Promise<readonly WebhookSecret[]> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const text = await this.#redis.hget(WEBHOOK_SECRETS, keyId);
      const before = text === null ? [] : (JSON.parse(text) as WebhookSecret[]);
      const after = change(before);
      if (after === before) return before;
      const values = [keyId, text ?? '', JSON.stringify(after)];
      if ((await this.#redis.eval(WRITE_WEBHOOK_SECRETS, 1, WEBHOOK_SECRETS, ...values)) === 1) return after;
    }
    throw new Error(`the webhook secrets of ${keyId} are being changed by another process: try again`);
  }

  async audit(): Promise<readonly AuditEntry[]> {
    const entries: AuditEntry[] = [];
    for (let page = [''], start = 0; page.length > 0; start += PAGE) {
      page = await this.#redis.lrange(AUDIT, start, start + PAGE - 1);
      entries.push(...page.map((text) => JSON.parse(text) as AuditEntry));
    }
    return entries;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#redis.disconnect();
    return Promise.resolve();
  }

  #find(hash: string): Promise<unknown> {
    return this.#redis.eval(FIND, 3, SECRETS, KEYS, CUSTOMERS, hash);
  }

  async #write({ record, audit }: KeyChange, before: string | null): Promise<boolean> {
    const kept = new Set(record.secrets.map(({ hash }) => hash));
    const gone =
      before === null
        ? []
        : parse(before)
            .secrets.map(({ hash }) => hash)
            .filter((hash) => !kept.has(hash));
    const secrets = [...[...kept].flatMap((hash) => [hash, '1']), ...gone.flatMap((hash) => [hash, '0'])];
    const values = [record.id, before ?? '', JSON.stringify(record), JSON.stringify(audit), ...secrets];
    return (await this.#redis.eval(WRITE, 3, SECRETS, KEYS, AUDIT, ...values)) === 1;
  }
}

function parse(text: string): KeyRecord {
  // Records of earlier versions lack limits, or some of them.
  const record = JSON.parse(text) as Omit<KeyRecord, 'limits'> & { readonly limits?: Partial<KeyRecord['limits']> };
  return { ...record, limits: { ...NO_LIMITS, ...record.limits } };
}

function parseCustomer(text: string): CustomerRecord {
  // Records of earlier versions lack the cause.
  return { cause: 'operator', ...(JSON.parse(text) as Omit<CustomerRecord, 'cause'> & Partial<CustomerRecord>) };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function oldestFirst(records: Iterable<KeyRecord>): readonly KeyRecord[] {
  return [...records].sort((a, b) => compare(a.createdAt, b.createdAt) || compare(a.id, b.id));
}
