import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { KeyStore } from './key-store.ts';
import type { RedisClient } from './redis.ts';
import { RememberingKeyStore } from './remembering-key-store.ts';
import { SqliteKeyStore } from './sqlite-key-store.ts';

/** Time that a command waits for Redis. */
const CONNECT_MS = 5000;

/**
 * Opens the configured store: Redis for all machines if there is one, otherwise a file. Disposing the store closes the
 * client.
 */
export function keyStoreOn(redis: RedisClient | null, { dataDir }: Pick<Config, 'dataDir'>): KeyStore {
  return redis
    ? new RememberingKeyStore(redis, join(dataDir, 'known-keys.sqlite'))
    : new SqliteKeyStore(join(dataDir, 'accounts.sqlite'));
}

/** Does the same as `keyStoreOn`, with its own client. @throws Error when Redis does not answer. */
export async function openKeyStore(config: Pick<Config, 'dataDir' | 'redisUrl'>): Promise<KeyStore> {
  if (config.redisUrl === null) return keyStoreOn(null, config);
  const { connectRedis, whenReady } = await import('./redis.ts');
  let fault = '';
  const redis = connectRedis(config.redisUrl, (cause) => {
    fault = cause.message;
  });
  await whenReady(redis, CONNECT_MS);
  if (redis.status === 'ready') return keyStoreOn(redis, config);
  redis.disconnect();
  throw new Error(`the Redis of REDIS_URL cannot be used: ${fault || 'it does not answer'}`);
}
