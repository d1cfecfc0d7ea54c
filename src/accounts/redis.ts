import { Redis } from 'ioredis';

/** A command that takes longer than this is given up: with the time of the rest it keeps a request's extra delay below 250 ms. */
const COMMAND_TIMEOUT_MS = 200;

/**
 * A client that fails fast instead of queueing, because the process can count for itself meanwhile. With the library's
 * defaults a lookup waits 15 s for a Redis that is down, and increments of the past are sent again when it is back.
 */
export function connectRedis(url: string, onError: (cause: Error) => void): Redis {
  const socketPath = /^unix:(?:\/\/)?(\/.*)$/.exec(url)?.[1];
  const redis = new Redis(socketPath ?? url, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: 1000,
    retryStrategy: (attempt) => Math.min(100 * attempt, 1000),
  });
  redis.on('error', onError);
  return redis;
}

/** Resolves when the client can be used, or after `ms`: a start does not fail for a Redis that is away. */
export async function whenReady(redis: Redis, ms: number): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    redis.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
