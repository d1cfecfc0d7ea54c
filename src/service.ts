import { collectDefaultMetrics, Registry } from 'prom-client';
import { createAdminServer } from './core/admin/admin-server.ts';
import { ownChanges } from './catalogue/read/own-definitions.ts';
import type { Config } from './core/settings/config.ts';
import type { ServedFeature } from './feature.ts';
import { loadFeatures, loadGeocoding, loadReadArea } from './features.ts';
import { createApp } from './core/http/app.ts';
import { earlyRefusal } from './core/http/early-refusal.ts';
import { createHttpServer, listen, stopServer } from './core/http/server.ts';
import type { Services } from './core/http/services.ts';
import { refusablePaths } from './core/http/routes.ts';
import { readJobs } from './core/snapshots/jobs.ts';
import { Opened, Events, Parts } from './core/parts/parts.ts';
import { accessSync, constants, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { MeteredLookup } from './core/lookup/metered-lookup.ts';
import { type AccountsOptions, openAccounts } from './core/open-accounts.ts';
import { measureJobs, measureState } from './core/admin/state-metrics.ts';
import { keepLogsSmall, measureLogs } from './core/admin/write-ahead-logs.ts';
import { readCatalogue } from './catalogue/read/read-definitions.ts';
import { Gate } from './core/pool/gate.ts';
import { BadKeyLimit, RefusedRequests } from './core/http/refused-requests.ts';
import { KeyBodies } from './core/http/key-bodies.ts';
import { Health } from './core/http/health.ts';
import { RequestCounts } from './core/http/request-metrics.ts';
import { LongAnswers } from './core/http/send-answer.ts';
import { makeServiceDocuments } from './core/http/service-documents.ts';
import { mapsOf } from './core/openapi/document.ts';
import type { ServiceLogger } from './core/settings/logger.ts';
import type { LookupPoolOptions } from './core/pool/lookup-pool.ts';
import { SnapshotService } from './core/pool/snapshot-service.ts';
import { furtherKeysOf } from './core/lookup/further-keys.ts';
import { withSourceLines } from './project/source-lines.ts';
import { makeFolder } from './core/files/make-folder.ts';

export interface Service extends AsyncDisposable {
  /** URL of the service, for example `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Says whether it can answer lookups of addresses. Never fails. */
  isReady(): Promise<boolean>;
  /** Puts the snapshot that `current` points to into service; a bad one is refused and reported. Never fails. */
  reload(): Promise<void>;
}

/** With the second for connections that have arrived, together less than the 10 s after which the process ends anyway. */
const STOP_TIMES = { lastCallMs: 1500, quietMs: 250, drainMs: 7000 };

/**
 * Opens everything, then listens. Disposing it stops accepting requests, lets those under way end, and closes everything.
 * @throws AppError or Error when something required is missing; whatever was opened until then is closed.
 */
export async function startService(config: Config, options: ServicesOptions): Promise<Service> {
  const opened = new Opened();
  try {
    const features = await loadFeatures(config.features);
    const services = await openServices(config, options, features, opened);
    const urls = await serve(services, features, opened);
    const isReady = async (): Promise<boolean> => (await services.health.check()).ready;
    await isReady();
    const { snapshots, logger } = services;
    const own = ownChanges(config.layersDir, config.ownLayersDir);
    if (own.length > 0) logger.info('definitions in LAYERS_DIR', { own });
    const more = Object.assign({}, ...features.map((feature) => feature.serving?.(services))) as object;
    logger.info('serving', { ...urls, ...more, snapshot: snapshots.manifest.id, threads: config.workerThreads });
    return {
      url: urls.url,
      isReady,
      reload: () => snapshots.reload(),
      [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
    };
  } catch (cause) {
    await opened[Symbol.asyncDispose]();
    throw cause;
  }
}

/** Listens on the admin port, and then on the public one. */
async function serve(
  services: Services,
  features: readonly ServedFeature[],
  opened: Opened,
): Promise<{ readonly url: string; readonly adminUrl: string }> {
  const { config, authenticator, billing, countsAlone, health } = services;
  const refuseEarly = earlyRefusal({ ...services, refusable: refusablePaths(features) });
  const server = createHttpServer(createApp(services, features), { refuseEarly });
  const adminUrl = await openAdmin(services, features, opened);
  await authenticator.prepare();
  const url = await listen(server, config);
  for (const feature of features) feature.listens?.(services, url);
  opened.defer(() => {
    health.drain();
    // What follows this process counts from zero anyway, so it need not wait for the requests under way.
    countsAlone?.[Symbol.dispose]();
    for (const feature of features) feature.stop?.(services);
    // At once, because its calls under way may take as long as the requests.
    billing?.reporter.stop();
    return stopServer(server, STOP_TIMES);
  });
  return { url, adminUrl };
}

/** Opens the admin port, which closes after the public one, so that operators can watch a stop. */
async function openAdmin(services: Services, features: readonly ServedFeature[], opened: Opened): Promise<string> {
  const { config, metrics, health } = services;
  collectDefaultMetrics({ register: metrics });
  const { dataDir, adminHost: host, adminPort: port } = config;
  const server = createAdminServer({
    host,
    registry: metrics,
    routers: features.flatMap(({ admin }) => admin?.(services) ?? []),
    // Why a job failed may name places that are nobody's business on the public port.
    state: async () => ({ ...(await health.check()), jobs: readJobs(dataDir) }),
  });
  const url = await listen(server, { host, port, variables: 'ADMIN_HOST and ADMIN_PORT' });
  opened.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return url;
}

export interface ServicesOptions extends Pick<AccountsOptions, 'quotaHourS' | 'openJournal' | 'redisTimeoutMs'> {
  readonly logger: ServiceLogger;
  /** Parts that somebody else has opened, and closes. */
  readonly overrides?: Partial<Services>;
  /** The same for what features have open, by their names. */
  readonly parts?: Readonly<Record<string, unknown>>;
  /** As in `LookupPoolOptions`. */
  readonly startsLate?: boolean;
}

/**
 * Opens all that routes and work in the background need, in order: the core, then the features from the last to the first (`src/features.ts`). `opened` takes
 * what was opened, also when a later step fails.
 * @throws AppError or Error when something required is missing.
 */
export async function openServices(
  config: Config,
  options: ServicesOptions,
  features: readonly ServedFeature[],
  opened: Opened,
): Promise<Services> {
  const services: Services = {
    ...(await openCore(config, options, opened)),
    maps: mapsOf(features),
    members: features.flatMap(({ members }) => members ?? []),
    readArea: await loadReadArea(config.features),
  };
  for (const { part } of features.toReversed()) {
    if (part && !services.parts.has(part.key))
      services.parts.set(part.key, await part.open(services, opened, features));
  }
  measureState(services.metrics, services);
  measureLogs(services.metrics, config.dataDir);
  measureJobs(services.metrics, config.dataDir);
  for (const feature of features) feature.measure?.(services.metrics, services);
  return services;
}

async function openCore(
  config: Config,
  options: ServicesOptions,
  opened: Opened,
): Promise<Omit<Services, 'maps' | 'members' | 'readArea'>> {
  const { logger, overrides = {} } = options;
  requireWritable(config.dataDir);
  const catalogue = readCatalogue(config);
  const hungThreads = { count: 0 };
  const pool = { ...poolOptions(config, { catalogue, logger, hungThreads }), startsLate: options.startsLate ?? false };
  const snapshots =
    overrides.snapshots ?? opened.use(await SnapshotService.start({ dataDir: config.dataDir, logger, pool }));
  const accounts = await openAccounts(config, options, opened);
  const gate = new Gate({
    snapshots,
    maxPending: config.maxPending,
    maxInFlight: config.maxInFlightPerKey,
    deadlineMs: config.lookupDeadlineMs,
  });
  const geocoding = overrides.geocoding ?? opened.use((await loadGeocoding(config.features))(gate, config, logger));
  opened.use(keepLogsSmall({ dataDir: config.dataDir, logger }));
  const metrics = new Registry();
  return {
    ...accounts,
    config,
    logger,
    catalogue,
    furtherKeys: furtherKeysOf(catalogue),
    snapshots,
    pool,
    hungThreads,
    gate,
    geocoding,
    lookups: new MeteredLookup({
      ...accounts,
      pool: geocoding,
      limitPerHour: config.rateLimitPerHour,
      lookupDeadlineMs: config.lookupDeadlineMs,
    }),
    badKeys: new BadKeyLimit(),
    bodies: overrides.bodies ?? new KeyBodies(),
    refusedRequests: new RefusedRequests(accounts.quotas, config.rateLimitPerHour),
    documents: makeServiceDocuments({ catalogue, snapshots }),
    health: new Health({ ...accounts, config, snapshots, hungThreads, geocoding, logger }),
    metrics,
    requests: new RequestCounts(metrics),
    longAnswers: new LongAnswers(),
    parts: new Parts(options.parts),
    events: new Events(),
  };
}

/**
 * Makes the data folder when it is missing.
 * @throws Error that says what to repair when the folder or a database in it cannot be written.
 */
function requireWritable(dataDir: string): void {
  try {
    makeFolder(dataDir);
    accessSync(dataDir, constants.W_OK);
    for (const name of readdirSync(dataDir)) {
      if (name.includes('.sqlite')) accessSync(join(dataDir, name), constants.W_OK);
    }
  } catch (cause) {
    throw new Error(
      `DATA_DIR cannot be written, but the service records lookups there (${(cause as Error).message}): ` +
        'mount its disk for writing, and make the user of the service the owner of the folder and its *.sqlite files',
      { cause },
    );
  }
}

function poolOptions(
  { workerThreads: threads, lookupDeadlineMs: deadlineMs, leftOut }: Config,
  { catalogue, logger, hungThreads }: Pick<Services, 'catalogue' | 'logger'> & { hungThreads: { count: number } },
): LookupPoolOptions {
  return {
    threads,
    deadlineMs,
    catalogue,
    leftOut,
    onFault: (fault) => logger.error('lookup thread failed', { detail: withSourceLines(fault.stack ?? fault.message) }),
    onHung: () => {
      hungThreads.count++;
      logger.error('a lookup hangs, its thread is replaced', { deadlineMs });
    },
  };
}
