import { Cluster, Redis, type Command, type RedisOptions } from 'ioredis';
import { parseRedisUrl, type RedisLogin } from '../settings/redis-url.ts';
import type { Logger } from 'winston';

export type RedisClient = Redis | Cluster;

/** Time after which the client gives up a command and its connection: a request must not wait 250 ms or more. */
const COMMAND_TIMEOUT_MS = 200;

/**
 * Options that fail fast instead of queueing, because the process can count by itself meanwhile. With the library's
 * defaults a lookup waits 15 s for a Redis that is down, and old increments are sent again when it is back.
 */
const FAIL_FAST = {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 1000,
  retryStrategy: reconnectDelayMs,
  // After a failover the connection leads to a replica: ask the sentinels again.
  reconnectOnError: (cause: Error) => cause.message.startsWith('READONLY'),
} as const satisfies RedisOptions;

/**
 * Connects in the background to the URL's target: one Redis, the master that sentinels name, or a cluster.
 * @throws Error when the URL is not one.
 */
export function connectRedis(
  url: string,
  onError: (cause: Error) => void,
  timeoutMs: number = COMMAND_TIMEOUT_MS,
): RedisClient {
  const client = createClient(url, timeoutMs);
  // Without a listener the library prints to the console.
  client.on('error', onError);
  return client;
}

function createClient(url: string, timeoutMs: number): RedisClient {
  const address = parseRedisUrl(url);
  const options = { ...FAIL_FAST, enableOfflineQueue: false };
  switch (address.kind) {
    case 'single':
      return dropWhenLate(new Redis(address.url, options), timeoutMs);
    case 'socket':
      return dropWhenLate(new Redis(address.path, options), timeoutMs);
    case 'sentinel':
      return dropWhenLate(
        new Redis({
          ...options,
          ...loginOf(address),
          sentinels: [...address.hosts],
          name: address.master,
          db: address.db,
          enableTLSForSentinelMode: address.tls,
          sentinelRetryStrategy: reconnectDelayMs,
        }),
        timeoutMs,
      );
    case 'cluster':
      return rejectWhenLate(
        new Cluster([...address.hosts], {
          enableOfflineQueue: false,
          clusterRetryStrategy: reconnectDelayMs,
          // The library owns the nodes' connections and drops those that are silent.
          redisOptions: { ...FAIL_FAST, ...loginOf(address), socketTimeout: 2 * timeoutMs },
        }),
        timeoutMs,
      );
  }
}

/**
 * Drops the connection to a Redis that does not answer in time, so that later commands fail at once; and one on which the database of the URL
 * cannot be chosen, which the library would use with database 0.
 */
function dropWhenLate(redis: Redis, timeoutMs: number): Redis {
  return watch(redis, timeoutMs, {
    onSend: () => {
      // There is none before it has connected.
      if (redis.status === 'ready') writeTogether(redis.stream);
    },
    onLate: () => redis.stream.destroy(new Error(`no answer in ${timeoutMs} ms`)),
    onFailure: ({ name }, cause) => {
      if (name === 'select') redis.stream.destroy(cause);
    },
  });
}

/** Writes what a turn of the event loop sends at its end and in one piece, which is one write here and one read in Redis. */
function writeTogether(stream: Redis['stream']): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => {
    stream.uncork();
  });
}

function rejectWhenLate(cluster: Cluster, timeoutMs: number): Cluster {
  return watch(cluster, timeoutMs, {
    onLate: (command) => {
      command.reject(new Error(`no answer in ${timeoutMs} ms`));
    },
  });
}

interface CommandListeners {
  readonly onSend?: () => void;
  readonly onLate: (command: Command) => void;
  readonly onFailure?: (command: Command, cause: Error) => void;
}

/**
 * Calls `onLate` for each command without an answer in time. The library's own timeout also fires for answers that have
 * arrived but are not yet read because this process is busy. This function reads them first.
 */
function watch<Client extends RedisClient>(
  client: Client,
  timeoutMs: number,
  { onSend = () => undefined, onLate, onFailure = () => undefined }: CommandListeners,
): Client {
  const send = client.sendCommand.bind(client) as (command: Command, ...rest: unknown[]) => unknown;
  client.sendCommand = (command: Command, ...rest: unknown[]) => {
    onSend();
    const reply = send(command, ...rest);
    const timer = setTimeout(() => {
      setImmediate(() => {
        if (!command.isSettled) onLate(command);
      });
    }, timeoutMs);
    const stop = (): void => {
      clearTimeout(timer);
    };
    command.promise.then(stop, (cause: unknown) => {
      stop();
      onFailure(command, cause as Error);
    });
    return reply;
  };
  return client;
}

function loginOf({ tls, username, password }: RedisLogin): { tls?: object; username?: string; password?: string } {
  return { ...(tls ? { tls: {} } : {}), ...(username ? { username } : {}), ...(password ? { password } : {}) };
}

/** Resolves when the client can be used, or after `ms`, because a missing Redis must not stop the start. */
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
