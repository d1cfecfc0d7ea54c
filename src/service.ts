import type { Logger } from 'winston';
import { Authenticator } from './accounts/authenticator.ts';
import { keyStoreOn } from './accounts/open-key-store.ts';
import { Quota } from './accounts/quota.ts';
import { connectRedis, whenReady, type RedisClient } from './accounts/redis.ts';
import { readCatalogue, type Catalogue } from './catalogue/read-definitions.ts';
import type { Config } from './config.ts';
import type { SnapshotManifest } from './contract/manifest.ts';
import { createApp } from './http/app.ts';
import { makeFace } from './http/face.ts';
import { Health } from './http/health.ts';
import { createHttpServer, listen, stopServer, type StopTimes } from './http/server.ts';
import { LookupPool } from './pool/lookup-pool.ts';
import { requireCurrentSnapshot } from './snapshots/current.ts';

export interface Service extends AsyncDisposable {
  /** Where it listens, for example `http://127.0.0.1:8080`. */
  readonly url: string;
}

export interface ServiceOptions {
  readonly logger: Logger;
  /** Length of the quota window; an hour unless a test needs less. */
  readonly quotaWindowS?: number;
}

/** How long the start waits for Redis before it goes on without. */
const REDIS_START_MS = 2000;

/** Together below the 10 s after which the process is ended anyway. */
const STOP_TIMES: StopTimes = { lastCallMs: 250, drainMs: 8000 };

/**
 * Opens everything, proves that lookups work, then listens. Disposing it stops accepting, lets requests end, and closes all.
 * @throws AppError or Error when anything needed is missing; what was opened until then is closed.
 */
export async function startService(config: Config, options: ServiceOptions): Promise<Service> {
  const closers: Closer[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    return { url: await open(config, options, closers), [Symbol.asyncDispose]: close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

type Closer = () => void | Promise<void>;

async function open(config: Config, options: ServiceOptions, closers: Closer[]): Promise<string> {
  const { logger, quotaWindowS } = options;
  const { dir, manifest } = requireCurrentSnapshot(config.dataDir);
  const catalogue = readCatalogue(config.layersDir);
  const pool = await startPool(config, { catalogue, snapshotDir: dir }, logger);
  closers.push(() => pool[Symbol.asyncDispose]());
  const redis = config.redisUrl === null ? null : await openRedis(config.redisUrl, logger);
  const keys = keyStoreOn(redis, config);
  closers.push(async () => keys[Symbol.asyncDispose]());
  const quota = new Quota({
    onInsurance: oncePerMinute((cause) => {
      logger.warn('Redis does not answer: limits are counted per process', { detail: cause.message });
    }),
    ...(redis ? { redis } : {}),
    ...(quotaWindowS === undefined ? {} : { windowS: quotaWindowS }),
  });
  const health = new Health({ pool, snapshot: summaryOf(manifest), redis });
  const { logAddresses, trustProxyHops, rateLimitPerHour: limitPerHour } = config;
  const authenticator = new Authenticator(keys);
  const face = makeFace(config, catalogue, manifest);
  const server = createHttpServer(
    createApp({ authenticator, quota, limitPerHour, pool, face, health, logger, logAddresses, trustProxyHops }),
  );
  const url = await listen(server, config);
  closers.push(() => {
    health.drain();
    return stopServer(server, STOP_TIMES);
  });
  if (manifest.sample) logger.warn('the snapshot holds hand-drawn SAMPLE data: answers from it are not real');
  logger.info('serving', { url, snapshot: manifest.id, threads: config.workerThreads });
  return url;
}

function startPool(
  config: Config,
  data: { readonly catalogue: Catalogue; readonly snapshotDir: string },
  logger: Logger,
): Promise<LookupPool> {
  return LookupPool.start({
    threads: config.workerThreads,
    maxPending: config.maxPending,
    deadlineMs: config.lookupDeadlineMs,
    ...data,
    onFault: (fault) => logger.error('lookup thread failed', { detail: fault.stack }),
  });
}

async function openRedis(url: string, logger: Logger): Promise<RedisClient> {
  const redis = connectRedis(
    url,
    oncePerMinute((cause) => logger.error('Redis connection', { detail: cause.message })),
  );
  await whenReady(redis, REDIS_START_MS);
  return redis;
}

function summaryOf({ id, createdAt, sample }: SnapshotManifest): Pick<SnapshotManifest, 'id' | 'createdAt' | 'sample'> {
  return { id, createdAt, sample };
}

function oncePerMinute(report: (cause: Error) => void): (cause: Error) => void {
  let last = -Infinity;
  return (cause) => {
    if (performance.now() - last < 60_000) return;
    last = performance.now();
    report(cause);
  };
}
