import { accessSync, constants, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { MeteredLookup } from './accounts/usage/metered-lookup.ts';
import { openAccounts, type Accounts, type AccountsOptions } from './accounts/open-accounts.ts';
import { measureBatches } from './admin/batch-metrics.ts';
import { measureSignups } from './admin/signup-metrics.ts';
import { measureState } from './admin/state-metrics.ts';
import { keepLogsSmall, measureLogs } from './admin/write-ahead-logs.ts';
import { describeBatch } from './batches/describe-batch.ts';
import type { BatchJob } from './batches/job.ts';
import { openBatchStore } from './batches/open-batch-store.ts';
import { startRunner } from './batches/start-runner.ts';
import { readCatalogue } from './catalogue/read-definitions.ts';
import type { Config } from './settings/config.ts';
import { Geocoding } from './geocoders/geocoding.ts';
import { Admission } from './http/admission.ts';
import { BadKeyLimit } from './http/bad-key-limit.ts';
import { UPLOADS } from './http/batches/accept-batch.ts';
import { KeyBodies } from './http/key-bodies.ts';
import { Health } from './http/health.ts';
import { RefusedRequests } from './http/refused-requests.ts';
import { RequestCounts } from './http/request-metrics.ts';
import { LongAnswers } from './http/long-answers.ts';
import { makeServiceDocuments } from './http/service-documents.ts';
import type { Services } from './http/services.ts';
import { Slots } from './http/slots.ts';
import { StoredExamples } from './http/stored-examples.ts';
import type { ServiceLogger } from './logger.ts';
import type { Opened } from './opened.ts';
import type { LookupPoolOptions } from './pool/lookup-pool.ts';
import { SnapshotService } from './pool/snapshot-service.ts';
import { furtherKeysOf } from './shared/further-keys.ts';
import { openSignups } from './signup/open-signups.ts';
import { withSourceLines } from './source-lines.ts';
import { Webhooks } from './webhooks/webhooks.ts';

export interface ServicesOptions extends Pick<AccountsOptions, 'quotaHourS' | 'openJournal' | 'redisTimeoutMs'> {
  readonly logger: ServiceLogger;
  /** Parts that somebody else has opened, and closes. */
  readonly overrides?: Partial<Services>;
  /** As in `LookupPoolOptions`. */
  readonly startsLate?: boolean;
}

/**
 * Opens all that routes and work in the background need, in order. `opened` takes what was opened, also when a later step fails.
 * @throws AppError or Error when something required is missing.
 */
export async function openServices(config: Config, options: ServicesOptions, opened: Opened): Promise<Services> {
  const { logger, overrides = {} } = options;
  requireWritable(config.dataDir);
  const catalogue = readCatalogue(config);
  const hungThreads = { count: 0 };
  const pool = { ...poolOptions(config, { catalogue, logger, hungThreads }), startsLate: options.startsLate ?? false };
  const snapshots =
    overrides.snapshots ?? opened.use(await SnapshotService.start({ dataDir: config.dataDir, logger, pool }));
  const accounts = await openAccounts(config, options, opened);
  const admission = new Admission({
    pool: snapshots,
    maxPending: config.maxPending,
    maxInFlight: config.maxInFlightPerKey,
    deadlineMs: config.lookupDeadlineMs,
  });
  const geocoding = overrides.geocoding ?? opened.use(openGeocoding(config, admission, logger));
  const webhooks = overrides.webhooks ?? opened.use(await startWebhooks(config, accounts, logger));
  const batches = await openBatchStore(config, { machine: accounts.journal.id, logger });
  opened.defer(() => batches[Symbol.asyncDispose]());
  const runner =
    overrides.runner ??
    opened.use(
      startRunner(config, {
        ...accounts,
        store: batches,
        snapshots,
        pool,
        lookups: geocoding,
        logger,
        rowsCaller: (who, send) => admission.rowsCaller(who, send),
        onEnded: (job) => {
          webhooks.batchEnded(job);
        },
      }),
    );
  opened.use(keepLogsSmall({ dataDir: config.dataDir, logger }));
  const examples = overrides.examples ?? opened.use(new StoredExamples({ snapshots, catalogue, logger }));
  const metrics = new Registry();
  const services: Services = {
    ...accounts,
    config,
    logger,
    catalogue,
    furtherKeys: furtherKeysOf(catalogue),
    snapshots,
    hungThreads,
    admission,
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
    examples,
    documents: makeServiceDocuments(config, {
      ...{ catalogue, snapshots, examples },
      price: accounts.billing?.price ?? null,
    }),
    health: new Health({ ...accounts, snapshots, hungThreads, geocoding, logger }),
    metrics,
    requests: new RequestCounts(metrics),
    webhooks,
    signup: openSignups(config, accounts, logger, opened),
    batches,
    runner,
    uploads: new Slots(UPLOADS),
    longAnswers: new LongAnswers(),
  };
  measure(metrics, services);
  return services;
}

/**
 * Makes the data folder when it is missing.
 * @throws Error that says what to repair when the folder or a database in it cannot be written.
 */
function requireWritable(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true });
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

function measure(metrics: Registry, services: Services): void {
  const { batches, runner, signup, keys } = services;
  measureState(metrics, services);
  measureLogs(metrics, services.config.dataDir);
  measureBatches(metrics, { store: batches, runner });
  if (signup) measureSignups(metrics, signup, keys);
}

interface PoolNeeds extends Pick<Services, 'catalogue' | 'logger'> {
  readonly hungThreads: { count: number };
}

function poolOptions(
  { workerThreads: threads, lookupDeadlineMs: deadlineMs }: Config,
  { catalogue, logger, hungThreads }: PoolNeeds,
): LookupPoolOptions {
  return {
    threads,
    deadlineMs,
    catalogue,
    onFault: (fault) => logger.error('lookup thread failed', { detail: withSourceLines(fault.stack ?? fault.message) }),
    onHung: () => {
      hungThreads.count++;
      logger.error('a lookup hangs, its thread is replaced', { deadlineMs });
    },
  };
}

function openGeocoding({ geocoding }: Config, admission: Admission, logger: ServiceLogger): Geocoding {
  return new Geocoding(admission, geocoding, (state, detail) => {
    logger.warn('geocoder circuit', { state, ...(detail === null ? {} : { detail }) });
  });
}

/** Runs in every process: each sends what any of them has stored. */
function startWebhooks(
  { dataDir, webhookAllow: allow }: Config,
  { keys: secrets, journalWatch }: Accounts,
  logger: ServiceLogger,
): Promise<Webhooks<BatchJob>> {
  return Webhooks.start<BatchJob>({
    dataDir,
    secrets,
    allow,
    logger,
    hasKey: async (id) => (await secrets.findById(id)) !== null,
    describe: (job) => describeBatch(job, Date.now()),
    isClockTrusted: () => journalWatch.isClockTrusted,
  });
}
