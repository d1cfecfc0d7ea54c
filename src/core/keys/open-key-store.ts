import { join } from 'node:path';
import type { Config } from '../settings/config.ts';
import { copyToRead } from '../files/copy-to-read.ts';
import { StoreFault } from '../../messages/store-fault.ts';
import type { RedisClient } from '../stores/redis.ts';
import { RedisDocuments } from '../stores/redis-documents.ts';
import { SqliteDocuments } from '../stores/sqlite-documents.ts';
import { KeyStore } from './key-store.ts';
import { keyTables } from './key-tables.ts';
import { RememberingKeyStore } from './remembering-key-store.ts';

const KEYS_FILE = 'accounts.sqlite';
const KNOWN_KEYS_FILE = 'known-keys.sqlite';

/** Of the file. 1 had a table for each kind of record. */
export const FILE_FORMAT = 2;

/** Of what is in Redis. Version 0.2.0 wrote the same without a number. */
const REDIS_FORMAT = 1;

/** Time that a command waits for Redis. */
const CONNECT_MS = 5000;

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
  const redis = connectRedis(config.redisUrl, (cause) => {
    fault = cause.message;
  });
  await whenReady(redis, CONNECT_MS);
  try {
    if (redis.status !== 'ready') throw new Error(fault);
    await keyDocumentsIn(redis).requireFormat();
    return keyStoreOn(redis, config);
  } catch (cause) {
    redis.disconnect();
    throw new Error(`the Redis of REDIS_URL cannot be used: ${(cause as Error).message}`, { cause });
  }
}
