/** Several serving processes with one Redis, and more requests for each key than it may make. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RedisServer } from '../../support/drivers/redis.ts';
import { issueKeys, ownSampleFolder, SAMPLE_ADDRESS } from '../../support/material/served-sample.ts';
import { ServiceProcess } from '../../support/drivers/service-process.ts';

export interface SharedLimitOptions {
  readonly processes: number;
  readonly keys: number;
  readonly limit: number;
  /** Requests a key, over all processes. */
  readonly requestsAKey: number;
  /** Kills Redis when a third is done, and starts it again. */
  readonly restart: boolean;
}

export interface SharedLimitReport {
  /** 200s by key. */
  readonly granted: readonly number[];
  readonly statuses: Readonly<Record<number, number>>;
  readonly requestsPerS: number;
}

const CLIENTS = 32;
const AWAY_MS = 1000;

/** A Redis that keeps what it knows, as one with keys in it must. */
const PERSISTENT = ['--appendonly', 'yes', '--appendfsync', 'everysec'];

export async function sharedLimitLoad(options: SharedLimitOptions): Promise<SharedLimitReport> {
  const { keys: keyCount, limit, requestsAKey } = options;
  await using redis = await RedisServer.start(...PERSISTENT);
  using folder = ownSampleFolder();
  const keys = await issueKeys({ dataDir: folder.path, redisUrl: redis.url }, { count: keyCount, limitPerHour: limit });
  const env = { REDIS_URL: redis.url, LOOKUP_DEADLINE_MS: '20000' };
  const services = await Promise.all(
    Array.from({ length: options.processes }, () => ServiceProcess.start(folder.path, env)),
  );
  const granted = keys.map(() => 0);
  const statuses: Record<number, number> = {};
  const total = keyCount * requestsAKey;
  let sent = 0;
  const client = async (): Promise<void> => {
    while (sent < total) {
      const number = sent++;
      const of = number % keyCount;
      const { status, body } = await services[Math.floor(Math.random() * services.length)]!.lookup(
        keys[of]!,
        SAMPLE_ADDRESS,
      );
      await body?.cancel();
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status === 200) granted[of]!++;
    }
  };
  const start = performance.now();
  try {
    const clients = Promise.all(Array.from({ length: CLIENTS }, client));
    if (options.restart) {
      while (sent < total / 6) await sleep(5);
      await redis.kill();
      await sleep(AWAY_MS);
      await redis.start();
    }
    await clients;
  } finally {
    await Promise.all(services.map((service) => service.stop()));
  }
  return { granted, statuses, requestsPerS: Math.round((total * 1000) / (performance.now() - start)) };
}
