import { Cluster, type Redis } from 'ioredis';
import type { Logger } from 'winston';
import type { RedisClient } from './redis.ts';

/** Settings with which Redis loses keys and limits of its own accord. */
export interface RedisSettings {
  /** What is wrong, in words; empty: nothing that is known. */
  readonly faults: readonly string[];
}

/** Looks at Redis's settings now and after each new connection, and logs what is wrong with them. */
export function watchRedisSettings(redis: RedisClient, logger: Pick<Logger, 'error' | 'warn'>): RedisSettings {
  const state: { faults: readonly string[] } = { faults: [] };
  const look = (): void => {
    faultsOf(redis)
      .then((faults) => {
        state.faults = faults;
        if (faults.length > 0) logger.error('Redis may lose keys and limits: change its settings', { faults });
      })
      .catch((cause: unknown) => logger.warn("Redis's settings could not be read", { detail: String(cause) }));
  };
  redis.on('ready', look);
  if (redis.status === 'ready') look();
  return state;
}

async function faultsOf(redis: RedisClient): Promise<string[]> {
  return [...new Set((await Promise.all(masters(redis).map(faultsOfNode))).flat())];
}

/** The servers that hold keys and limits. */
export function masters(redis: RedisClient): readonly Redis[] {
  return redis instanceof Cluster ? redis.nodes('master') : [redis];
}

/** Says with which settings a server may lose keys and limits, and what to set. */
export async function faultsOfNode(redis: Pick<Redis, 'info'>): Promise<string[]> {
  const memory = parseInfo(await redis.info('memory'));
  const persistence = parseInfo(await redis.info('persistence'));
  const policy = memory.get('maxmemory_policy');
  return [
    ...(policy === 'noeviction' ? [] : [`maxmemory-policy is ${policy ?? 'unknown'}: set noeviction`]),
    ...(persistence.get('aof_enabled') === '1' ? [] : ['appendonly is no: set yes']),
  ];
}

/** Reads lines such as `aof_enabled:1`. */
export function parseInfo(text: string): Map<string, string> {
  return new Map(text.split('\r\n').map((line) => line.split(':', 2) as [string, string]));
}
