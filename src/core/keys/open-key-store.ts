import { join } from 'node:path';
import type { Config } from '../settings/config.ts';
import { copyToRead } from '../files/copy-to-read.ts';
import { StoreFault, addColumns } from '../../messages/stores.ts';
import type { RedisClient } from '../stores/redis.ts';
import { RedisDocuments } from '../stores/redis-documents.ts';
import { SqliteDocuments } from '../stores/sqlite-documents.ts';
import { type FoundKey, type KeyRecord, type KeysReach, KeyStore } from './key-store.ts';
import type { Database } from 'better-sqlite3';
import type { EarlierFormat } from '../files/open-store.ts';
import type { Documents } from '../stores/documents.ts';
import { auditEntry } from './keys.ts';
import { KnownKeys } from './known-keys.ts';

const KEYS_FILE = 'accounts.sqlite';
const KNOWN_KEYS_FILE = 'known-keys.sqlite';

/** Of the file. 1 had a table for each kind of record. */
export const FILE_FORMAT = 2;

/** Of what is in Redis. Version 0.2.0 wrote the same without a number. */
const REDIS_FORMAT = 1;

/** Time that a command waits for Redis, to connect and for each answer: a request may wait for far less. */
const PATIENCE_MS = 5000;

/** Opens keys in a file, and makes it and its folder when they are missing. @throws Error when a later version wrote it. */
export function keysInFile(file: string): KeyStore {
  return new KeyStore(new SqliteDocuments({ file, format: FILE_FORMAT, earlier: keyTables }));
}

/** The documents of keys in Redis. */
export function keyDocumentsIn(redis: RedisClient): RedisDocuments {
  return new RedisDocuments({ redis, prefix: '{land-lookup:keys}:', format: REDIS_FORMAT });
}

/**
 * Opens the configured store: Redis for all machines if there is one, otherwise a file. Disposing the store closes the
 * client.
 */
export function keyStoreOn(redis: RedisClient | null, { dataDir }: Pick<Config, 'dataDir'>): KeyStore {
  return redis ? rememberedKeysOn(redis, { dataDir }) : keysInFile(join(dataDir, KEYS_FILE));
}

/** Opens the keys of all machines, with what this one remembers of them. */
export function rememberedKeysOn(redis: RedisClient, { dataDir }: Pick<Config, 'dataDir'>): RememberingKeyStore {
  return new RememberingKeyStore(keyDocumentsIn(redis), join(dataDir, KNOWN_KEYS_FILE));
}

/**
 * Does the same as `openKeyStore` for a command that only reads: where the store's files cannot be written, it reads copies of them.
 * @throws Error when they cannot be read either.
 */
export async function openKeyStoreToRead(config: Pick<Config, 'dataDir' | 'redisUrl'>): Promise<KeyStore> {
  try {
    return await openKeyStore(config);
  } catch (cause) {
    if (!isUnwritable(cause)) throw cause;
    // The open files stay when their names go.
    using copies = copyToRead(config.dataDir, [KEYS_FILE, KNOWN_KEYS_FILE]);
    return await openKeyStore({ ...config, dataDir: copies.folder });
  }
}

function isUnwritable(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if (!(cause instanceof StoreFault)) return isUnwritable(cause.cause);
  return /^(SQLITE_(READONLY|CANTOPEN|FULL|IOERR)|EROFS|ENOSPC|EDQUOT|EACCES|EPERM)/.test(cause.code);
}

/** Does the same as `keyStoreOn`, with its own client. @throws Error when Redis does not answer. */
export async function openKeyStore(config: Pick<Config, 'dataDir' | 'redisUrl'>): Promise<KeyStore> {
  if (config.redisUrl === null) return keyStoreOn(null, config);
  const { connectRedis, whenReady } = await import('../stores/redis.ts');
  let fault = 'it does not answer';
  const onError = (cause: Error): void => {
    fault = cause.message;
  };
  const redis = connectRedis(config.redisUrl, onError, PATIENCE_MS);
  await whenReady(redis, PATIENCE_MS);
  try {
    if (redis.status !== 'ready') throw new Error(fault);
    await keyDocumentsIn(redis).requireFormat();
    return keyStoreOn(redis, config);
  } catch (cause) {
    redis.disconnect();
    const { name, message } = cause as Error;
    // A lost connection has told its own reason; the command's is in words of the library.
    const reason = name === 'MaxRetriesPerRequestError' ? fault : message;
    throw new Error(`the Redis of REDIS_URL cannot be used: ${reason}`, { cause });
  }
}

// The tables that versions up to 0.2.0 kept keys in, and how their content becomes documents.

/** What version 0.1.0 does not have. */
const LATER_TABLES = `
  CREATE TABLE IF NOT EXISTS webhook_secrets (key_id TEXT PRIMARY KEY, secrets TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS api_key_use (key_id TEXT PRIMARY KEY, last_used_at TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS signup (id TEXT PRIMARY KEY, is_finished INTEGER NOT NULL, record TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS customer (customer TEXT PRIMARY KEY, suspended_at TEXT, reason TEXT NOT NULL, resumed_at TEXT);
`;

const LATER_COLUMNS = {
  api_key: { limits: `TEXT NOT NULL DEFAULT '{}'` },
  customer: { cause: `TEXT NOT NULL DEFAULT 'operator'` },
};

const MOVE = `
  INSERT INTO document (collection, id, text, is_open)
    SELECT 'records', id, json_object('id', id, 'name', name, 'limitPerHour', limit_per_hour, 'customer', customer,
      'limits', json(limits), 'createdAt', created_at, 'expiresAt', expires_at, 'revokedAt', revoked_at,
      'secrets', json((SELECT json_group_array(json_object('hash', hash, 'createdAt', created_at, 'expiresAt', expires_at)
        ORDER BY created_at, hash) FROM api_key_secret WHERE key_id = api_key.id))), 0
    FROM api_key
    UNION ALL SELECT 'customers', customer, json_object('customer', customer, 'suspendedAt', suspended_at,
      'reason', reason, 'resumedAt', resumed_at, 'cause', cause), 0 FROM customer
    UNION ALL SELECT 'signups', id, record, NOT is_finished FROM signup
    UNION ALL SELECT 'webhook-secrets', key_id, secrets, 0 FROM webhook_secrets;
  INSERT INTO unique_value (collection, value, id) SELECT 'records', hash, key_id FROM api_key_secret;
  INSERT INTO raised (collection, name, text) SELECT 'last-used', key_id, last_used_at FROM api_key_use;
  INSERT INTO log (seq, text) SELECT seq, json_object('at', at, 'actor', actor, 'action', action, 'keyId', key_id,
    'detail', detail) FROM api_key_audit;
  DROP TABLE api_key_secret;
  DROP TABLE api_key;
  DROP TABLE api_key_audit;
  DROP TABLE api_key_use;
  DROP TABLE customer;
  DROP TABLE signup;
  DROP TABLE webhook_secrets;
`;

/**
 * The tables as version 0.2.0 reads them: while an upgrade restarts the processes of a machine one after another, those that still wait for it go
 * on with the keys as they are now. They change nothing, because views cannot be written. A later version may drop them.
 */
const VIEWS = `
  CREATE VIEW api_key AS SELECT id, text ->> '$.name' AS name, text ->> '$.limitPerHour' AS limit_per_hour, customer,
    text ->> '$.createdAt' AS created_at, text ->> '$.expiresAt' AS expires_at, text ->> '$.revokedAt' AS revoked_at,
    text -> '$.limits' AS limits FROM document WHERE collection = 'records';
  CREATE VIEW api_key_secret AS SELECT u.value AS hash, u.id AS key_id, one.value ->> '$.createdAt' AS created_at,
    one.value ->> '$.expiresAt' AS expires_at
    FROM unique_value u JOIN document USING (collection, id) JOIN json_each(text, '$.secrets') AS one
    WHERE u.collection = 'records' AND one.value ->> '$.hash' = u.value;
  CREATE VIEW customer AS SELECT id AS customer, text ->> '$.suspendedAt' AS suspended_at, text ->> '$.reason' AS reason,
    text ->> '$.resumedAt' AS resumed_at, text ->> '$.cause' AS cause FROM document WHERE collection = 'customers';
`;

const keyTables: EarlierFormat = {
  table: 'api_key',
  upgrade(db: Database) {
    db.exec(LATER_TABLES);
    addColumns(db, LATER_COLUMNS);
    db.exec(MOVE);
    db.exec(VIEWS);
  },
};

/**
 * Keys in Redis, of which this machine remembers those in use. They work over a restart while Redis is away, and a key whose
 * revocation Redis has lost stays revoked (docs/decisions/0020).
 */
export class RememberingKeyStore extends KeyStore {
  readonly #known: KnownKeys;

  /** Owns the documents. @param file where this machine remembers. */
  constructor(documents: Documents, file: string) {
    super(documents);
    this.#known = new KnownKeys(file);
  }

  override async reach(): Promise<KeysReach> {
    const reach = await super.reach();
    return reach === 'none' && this.#known.hasKeys ? 'remembered' : reach;
  }

  /** @throws Error when Redis does not answer and the key is not known. */
  override async find(hash: string): Promise<FoundKey | null> {
    let found: FoundKey | null;
    try {
      found = await super.find(hash);
    } catch (cause) {
      const known = this.#known.find(hash);
      if (known) return this.withOwnKnowledge(known);
      throw cause;
    }
    if (!found) return null;
    const record = { ...found, ...(await this.#withRevocation(found)) };
    this.#known.remember(hash, record);
    return record;
  }

  override async findById(id: string): Promise<FoundKey | null> {
    const found = await super.findById(id);
    return found && { ...found, ...(await this.#withRevocation(found)) };
  }

  override async update(...given: Parameters<KeyStore['update']>): Promise<KeyRecord | null> {
    const [id] = given;
    const record = await super.update(...given);
    if (record?.revokedAt) this.#known.noteRevoked(id, record.revokedAt);
    return record;
  }

  /**
   * Writes the newest revocations again if Redis has lost them: the other machines may not know of them, and nobody may use these keys here.
   * @throws Error when Redis does not answer.
   */
  async repeatRevocations(stop: AbortSignal): Promise<void> {
    for (const id of this.#known.lastRevoked()) {
      if (stop.aborted) return;
      await this.findById(id);
    }
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    this.#known[Symbol.dispose]();
  }

  protected override withOwnKnowledge(key: FoundKey): FoundKey {
    return { ...key, revokedAt: key.revokedAt ?? this.#known.revokedAt(key.id) };
  }

  /** Revokes a key again of which Redis does not know any more that it was revoked. */
  async #withRevocation({ id, revokedAt }: FoundKey): Promise<{ readonly revokedAt: string | null }> {
    if (revokedAt !== null) {
      this.#known.noteRevoked(id, revokedAt);
      return { revokedAt };
    }
    const lost = this.#known.revokedAt(id);
    if (lost === null) return { revokedAt };
    await super
      .update(id, (record) => ({
        record: { ...record, revokedAt: record.revokedAt ?? lost },
        audit: auditEntry(id, 'revoke', 'again: Redis had lost it'),
      }))
      .catch(() => undefined);
    return { revokedAt: lost };
  }
}
