import type { Logger } from 'winston';
import { MeteredLookup } from './accounts/metered-lookup.ts';
import { openAccounts, type Accounts, type Closer } from './accounts/open-accounts.ts';
import { readCatalogue, type Catalogue } from './catalogue/read-definitions.ts';
import type { Config } from './config.ts';
import type { SnapshotManifest } from './contract/manifest.ts';
import { createApp } from './http/app.ts';
import { makeFace } from './http/face.ts';
import { Health } from './http/health.ts';
import { createHttpServer, listen, stopServer, type StopTimes } from './http/server.ts';
import type { StripeWebhookContext } from './http/stripe-webhook-route.ts';
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

async function open(config: Config, options: ServiceOptions, closers: Closer[]): Promise<string> {
  const { logger } = options;
  const { dir, manifest } = requireCurrentSnapshot(config.dataDir);
  const catalogue = readCatalogue(config.layersDir);
  const pool = await startPool(config, { catalogue, snapshotDir: dir }, logger);
  closers.push(() => pool[Symbol.asyncDispose]());
  const accounts = await openAccounts(config, options, closers);
  const { authenticator, quota, journal, idempotency } = accounts;
  const { logAddresses, trustProxyHops, lookupDeadlineMs, rateLimitPerHour: limitPerHour } = config;
  const lookups = new MeteredLookup({ pool, quota, journal, idempotency, limitPerHour, lookupDeadlineMs });
  const health = new Health({ pool, snapshot: summaryOf(manifest), quota });
  const face = makeFace(config, catalogue, manifest);
  const webhook = webhookOf(config, accounts, logger);
  const server = createHttpServer(
    createApp({ authenticator, lookups, face, health, logger, logAddresses, trustProxyHops, webhook }),
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

function webhookOf(config: Config, { billing, journal }: Accounts, logger: Logger): StripeWebhookContext | null {
  const secret = config.billing?.webhookSecret ?? null;
  return billing && secret !== null ? { stripe: billing.stripe, secret, journal, logger } : null;
}

function summaryOf({ id, createdAt, sample }: SnapshotManifest): Pick<SnapshotManifest, 'id' | 'createdAt' | 'sample'> {
  return { id, createdAt, sample };
}
