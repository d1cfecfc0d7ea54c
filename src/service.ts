import { collectDefaultMetrics, Registry } from 'prom-client';
import { openAccounts, type Accounts, type Closer } from './accounts/open-accounts.ts';
import { requireWritable } from './accounts/writable-folder.ts';
import type { BatchStore } from './batches/batch-store.ts';
import { describeBatch } from './batches/describe-batch.ts';
import type { BatchJob } from './batches/job.ts';
import { openBatchStore, type OpenBatchStoreOptions } from './batches/open-batch-store.ts';
import { startRunner } from './batches/start-runner.ts';
import { readCatalogue } from './catalogue/read-definitions.ts';
import type { Catalogue } from './shared/catalogue/catalogue.ts';
import type { Config } from './config.ts';
import { Admission } from './http/admission.ts';
import { createApp, type AppContext } from './http/app.ts';
import { contextOf, type BackgroundParts, type LookupParts, type ServiceParts } from './http/app-context.ts';
import { earlyRefusal } from './http/early-refusal.ts';
import { Health } from './http/health.ts';
import { createHttpServer, listen, stopServer, type StopTimes } from './http/server.ts';
import { makeServiceDocuments } from './http/service-documents.ts';
import { warmUp } from './http/warm-up.ts';
import { Geocoding } from './geocoders/geocoding.ts';
import type { ServiceLogger } from './logger.ts';
import { createAdminServer, type AdminContent } from './admin/admin-server.ts';
import { requestCounter } from './http/request-metrics.ts';
import { measureBatches } from './admin/batch-metrics.ts';
import { measureSignups } from './admin/signup-metrics.ts';
import { measureState } from './admin/state-metrics.ts';
import type { LookupPoolOptions } from './pool/lookup-pool.ts';
import { openSignups } from './signup/open-signups.ts';
import { SnapshotService } from './pool/snapshot-service.ts';
import type { BatchBody } from './shared/wire/batch.ts';
import { Webhooks } from './webhooks/webhooks.ts';

export interface Service extends AsyncDisposable {
  /** URL of the service, for example `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Says whether it can answer lookups of addresses. Never fails. */
  isReady(): Promise<boolean>;
  /** Puts the snapshot that `current` points to into service; a bad one is refused and reported. Never fails. */
  reload(): Promise<void>;
}

export interface ServiceOptions {
  readonly logger: ServiceLogger;
  /** Length of an hour of the limits in seconds; less where a test needs less. */
  readonly quotaHourS?: number;
}

/** With the second for connections that have arrived, together less than the 10 s after which the process ends anyway. */
const STOP_TIMES: StopTimes = { lastCallMs: 1500, quietMs: 250, drainMs: 7000 };

/**
 * Opens everything, proves that lookups work, then listens. Disposing it stops accepting requests, lets those under way
 * end, and closes everything.
 * @throws AppError or Error when something required is missing; whatever was opened until then is closed.
 */
export async function startService(config: Config, options: ServiceOptions): Promise<Service> {
  const closers: Closer[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    return { ...(await open(config, options, closers)), [Symbol.asyncDispose]: close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

type OpenService = Omit<Service, keyof AsyncDisposable>;

async function open(config: Config, options: ServiceOptions, closers: Closer[]): Promise<OpenService> {
  const lookups = await openLookups(config, options, closers);
  const parts = { ...lookups, ...(await openBackground(config, lookups, { logger: options.logger, closers })) };
  const context = contextOf(config, parts, options.logger);
  return await serve(config, parts, { context, closers });
}

/** Opens the snapshot in service, the accounts, and what a lookup passes on its way between them. */
async function openLookups(config: Config, options: ServiceOptions, closers: Closer[]): Promise<LookupParts> {
  const { logger } = options;
  requireWritable(config.dataDir);
  const catalogue = readCatalogue(config.layersDir);
  const hungThreads = { count: 0 };
  const pool = poolOptions(config, catalogue, logger, () => hungThreads.count++);
  const snapshots = await SnapshotService.start({ dataDir: config.dataDir, logger, pool });
  closers.push(() => snapshots[Symbol.asyncDispose]());
  const accounts = await openAccounts(config, options, closers);
  const { lookupDeadlineMs, rateLimitPerHour: limitPerHour, maxPending } = config;
  const admission = new Admission({
    pool: snapshots,
    ...{ maxPending, maxInFlight: config.maxInFlightPerKey, deadlineMs: lookupDeadlineMs },
  });
  const geocoding = new Geocoding(admission, config.geocoding, (state, detail) => {
    logger.warn('geocoder circuit', { state, ...(detail === null ? {} : { detail }) });
  });
  closers.push(() => {
    geocoding[Symbol.dispose]();
  });
  const metering = { ...accounts, pool: geocoding, limitPerHour, lookupDeadlineMs };
  const documents = makeServiceDocuments(config, catalogue, () => snapshots.manifest);
  const { quotas, journalWatch: journal, keys } = accounts;
  const health = new Health({ snapshots, hungThreads, quota: quotas.of('lookups'), journal, keys, geocoding, logger });
  return { catalogue, pool, snapshots, hungThreads, accounts, admission, metering, documents, health };
}

/** Opens what goes on beside requests: webhooks, sign-ups and batches. */
async function openBackground(
  config: Config,
  { pool, snapshots, hungThreads, accounts, admission, metering, health }: LookupParts,
  { logger, closers }: { readonly logger: ServiceLogger; readonly closers: Closer[] },
): Promise<BackgroundParts> {
  const metrics = new Registry();
  const webhooks = await startWebhooks(config, accounts, logger);
  closers.push(() => webhooks[Symbol.asyncDispose]());
  const { dataDir, maxPending } = config;
  measureState(metrics, { snapshots, hungThreads, accounts, admission, maxPending, webhooks, dataDir, health });
  const requests = requestCounter(metrics);
  const signup = await openSignups(config, accounts, logger, closers);
  if (signup) measureSignups(metrics, { ...signup, store: accounts.keys });
  const store = await openBatches(config, { machine: accounts.journal.id, logger }, closers);
  const runner = startRunner(config, {
    ...{ store, snapshots, pool, accounts, lookups: metering.pool, logger },
    rowsCaller: (who, send) => admission.rowsCaller(who, send),
    onEnded: (job) => {
      webhooks.batchEnded(job);
    },
  });
  closers.push(() => runner[Symbol.asyncDispose]());
  measureBatches(metrics, { store, runner });
  return { metrics, requests, webhooks, signup, store, runner };
}

/** Opens the admin port, sends a lookup through the whole service, and then listens. */
async function serve(
  config: Config,
  { snapshots, accounts, metering, signup, runner }: ServiceParts,
  { context, closers }: { readonly context: AppContext; readonly closers: Closer[] },
): Promise<OpenService> {
  const { admission, authenticator, logger, requests, metrics, health } = context;
  const refuseEarly = earlyRefusal({ admission, authenticator, logger, requests });
  const server = createHttpServer(createApp(context), { maxConnections: config.maxConnections, refuseEarly });
  const offer = { dataDir: config.dataDir, inService: () => snapshots.manifest.id };
  const adminUrl = await openAdmin(config, { registry: metrics, offer }, closers);
  await authenticator.prepare();
  const warmUpMs = await warmUp({ app: context, metering, snapshots, journal: accounts.journal });
  const url = await listen(server, config);
  signup?.listensOn(url);
  closers.push(() => {
    health.drain();
    runner.stop();
    // At once, because its calls under way may take as long as the requests.
    accounts.billing?.reporter.stop();
    return stopServer(server, STOP_TIMES);
  });
  const { workerThreads: threads } = config;
  const isReady = async (): Promise<boolean> => (await health.check()).ready;
  await isReady();
  logger.info('serving', { url, adminUrl, snapshot: snapshots.manifest.id, threads, warmUpMs });
  return { url, isReady, reload: () => snapshots.reload() };
}

function poolOptions(
  { workerThreads: threads, lookupDeadlineMs: deadlineMs }: Config,
  catalogue: Catalogue,
  logger: ServiceLogger,
  countHung: () => void,
): LookupPoolOptions {
  return {
    ...{ threads, deadlineMs, catalogue },
    onFault: (fault) => logger.error('lookup thread failed', { detail: fault.stack }),
    onHung: () => {
      countHung();
      logger.error('a lookup hangs, its thread is replaced', { deadlineMs });
    },
  };
}

/** Runs in every process: each sends what any of them has stored. */
function startWebhooks(
  { dataDir, webhookAllow: allow }: Config,
  { keys: secrets, journalWatch }: Accounts,
  logger: ServiceLogger,
): Promise<Webhooks<BatchJob>> {
  const isClockTrusted = (): boolean => journalWatch.isClockTrusted;
  const describe = (job: BatchJob): BatchBody => describeBatch(job, Date.now());
  const hasKey = async (id: string): Promise<boolean> => (await secrets.findById(id)) !== null;
  return Webhooks.start<BatchJob>({ dataDir, secrets, hasKey, allow, logger, describe, isClockTrusted });
}

/** Opens the admin port, which closes after the public one, so that operators can watch a stop. */
async function openAdmin(
  { adminHost: host, adminPort: port }: Config,
  content: AdminContent,
  closers: Closer[],
): Promise<string> {
  collectDefaultMetrics({ register: content.registry });
  const server = createAdminServer(content);
  const url = await listen(server, { host, port, variables: 'ADMIN_HOST and ADMIN_PORT' });
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return url;
}

async function openBatches(config: Config, options: OpenBatchStoreOptions, closers: Closer[]): Promise<BatchStore> {
  const store = await openBatchStore(config, options);
  closers.push(async () => store[Symbol.asyncDispose]());
  return store;
}
