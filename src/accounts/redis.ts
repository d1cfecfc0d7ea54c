import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { parseRedisUrl, type RedisLogin } from './redis-url.ts';

export type RedisClient = Redis | Cluster;

/** Past this a command is given up, and the connection with it: a request must not be delayed by 250 ms or more. */
const COMMAND_TIMEOUT_MS = 200;

/**
 * It fails fast instead of queueing, because the process can count for itself meanwhile: with the library's defaults a lookup
 * waits 15 s for a Redis that is down, and increments of the past are sent again when it is back.
 */
const FAIL_FAST = {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  commandTimeout: COMMAND_TIMEOUT_MS,
  // A Redis that keeps the connection and answers nothing is as good as gone: later commands fail at once, not after 200 ms each.
  socketTimeout: COMMAND_TIMEOUT_MS,
  connectTimeout: 1000,
  retryStrategy: reconnectDelayMs,
  // After a failover the connection leads to a replica: ask the sentinels again.
  reconnectOnError: (cause: Error) => cause.message.startsWith('READONLY'),
} as const satisfies RedisOptions;

/**
 * Connects in the background to what the URL names: one Redis, the master that sentinels name, or a cluster.
 * @throws Error when the URL is not one.
 */
export function connectRedis(url: string, onError: (cause: Error) => void): RedisClient {
  const client = createClient(url);
  // Without a listener the library prints to the console.
  client.on('error', onError);
  return client;
}

function createClient(url: string): RedisClient {
  const address = parseRedisUrl(url);
  const options = { ...FAIL_FAST, enableOfflineQueue: false };
  switch (address.kind) {
    case 'single':
      return new Redis(address.url, options);
    case 'socket':
      return new Redis(address.path, options);
    case 'sentinel':
      return new Redis({
        ...options,
        ...loginOf(address),
        sentinels: [...address.hosts],
        name: address.master,
        db: address.db,
        enableTLSForSentinelMode: address.tls,
        sentinelRetryStrategy: reconnectDelayMs,
      });
    case 'cluster':
      return new Cluster([...address.hosts], {
        enableOfflineQueue: false,
        clusterRetryStrategy: reconnectDelayMs,
        redisOptions: { ...FAIL_FAST, ...loginOf(address) },
      });
  }
}

function loginOf({ tls, username, password }: RedisLogin): { tls?: object; username?: string; password?: string } {
  return { ...(tls ? { tls: {} } : {}), ...(username ? { username } : {}), ...(password ? { password } : {}) };
}

/** Resolves when the client can be used, or after `ms`: a start does not fail for a Redis that is away. */
export async function whenReady(client: RedisClient, ms: number): Promise<void> {
  if (client.status === 'ready') return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    client.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function reconnectDelayMs(attempt: number): number {
  return Math.min(100 * attempt, 1000);
}
