import { join } from 'node:path';
import { describeBatch, cancelBatch, deleteBatch, listBatches, showBatch } from './routes/batches.ts';
import { BatchStore } from './batch-store.ts';
import { markOfJournal, batchStates, hasEnded } from './job.ts';
import { batchEnded, type Opened } from '../../core/parts/parts.ts';
import { type ServedFeature, partOf } from '../../feature.ts';
import { UPLOADS, createBatch } from './routes/create.ts';
import { batchesPart, BatchRunner, type Batches } from './runner.ts';
import { batchResults } from './routes/results.ts';
import type { Services } from '../../core/http/services.ts';
import { batchSettings } from './settings.ts';
import { Slots } from '../../core/http/slots.ts';
import { asksRemote, settingsOf } from '../../core/settings/config.ts';
import { dayOf } from '../../messages/time.ts';
import type { RedisClient } from '../../core/stores/redis.ts';
import { outcomes } from './rows/row.ts';
import { counter, gaugesOf, labelled } from '../../core/admin/gauges.ts';
import { LOOKUPS_PER_MESSAGE } from '../../core/pool/lookup-messages.ts';
import { MissingKeys } from './chunk-work.ts';
import { PinnedSnapshot } from './pinned-snapshot.ts';
import { RowBilling } from './row-billing.ts';
import type { Logger } from 'winston';
import type { Registry } from 'prom-client';

/** Many rows at once. A key sees its own batches only. */
export const batches: ServedFeature = {
  guides: ['batches', 'files'],
  tags: [{ name: 'batches', description: 'Many places at once' }],
  routes: [createBatch, listBatches, showBatch, deleteBatch, batchResults, cancelBatch],
  part: partOf(batchesPart, open),
  measure: (metrics, { parts }) => {
    measureBatches(metrics, parts.of(batchesPart));
  },
  account: async ({ parts }, { id }) => ({
    batchRowsToday: await parts.of(batchesPart).store.rowsOn(id, dayOf(Date.now())),
  }),
  serving: ({ parts }) => ({ machine: parts.of(batchesPart).store.mark }),
  stop: ({ parts }) => {
    parts.of(batchesPart).runner.stop();
  },
};

/** For each thread: while the rows of one chunk are billed and stored, those of the other are looked up. */
const CHUNKS_PER_THREAD = 2;

/**
 * Rows of a chunk that are under way: enough messages that a thread never waits for one. What belongs to a row under way is short-lived and dies young
 * that way; with a whole chunk it fills the heap. During an outage only these rows use up their attempts.
 */
const ROWS_AT_ONCE = 4 * LOOKUPS_PER_MESSAGE;

/** A remote geocoder refuses what does not fit into its queue. */
const ROWS_OF_REMOTE = 2;

function open(services: Services, opened: Opened): Batches {
  const { config, redis, keys, journal, budget, journalWatch, logger, snapshots, gate, events } = services;
  const { dataDir, minFreeDiskBytes } = config;
  const settings = settingsOf(config, batchSettings);
  if (redis) warnOfBatchesInRedis(redis, logger);
  const store = opened.use(
    new BatchStore({ ...settings, dir: join(dataDir, 'batches'), mark: markOfJournal(journal.id), minFreeDiskBytes }),
  );
  const runner = opened.use(
    BatchRunner.start({
      dataDir,
      store,
      keys,
      lookups: services.geocoding,
      gate,
      logger,
      onEnded: (job) => events.tell(batchEnded, { ...job, describe: () => describeBatch(job, Date.now()) }),
      missingKeys: new MissingKeys(),
      snapshots: new PinnedSnapshot({ dataDir, pool: services.pool, service: snapshots }),
      billing: new RowBilling({ journal, budget }),
      keptMs: settings.retentionMs,
      isClockTrusted: () => journalWatch.isClockTrusted,
      chunksAtOnce: CHUNKS_PER_THREAD * snapshots.pool.status.costlyThreads,
      rowsAtOnce: asksRemote(config) ? ROWS_OF_REMOTE : ROWS_AT_ONCE,
    }),
  );
  return { store, runner, uploads: new Slots(UPLOADS) };
}

/** Where version 0.2.0 kept the batches of several machines, whose rows and answers are in a bucket. */
const PREFIX = '{land-lookup:batches}:';

/** Advice for the operator (docs/operations.md, Upgrade). */
const HELP =
  'start version 0.2.0 with its settings until "redis-cli HLEN {land-lookup:batches}:live" says 0 and clients have fetched their results';

/** Looks, in the background, for batches that only version 0.2.0 can finish, or give the results of, and logs how many there are. */
function warnOfBatchesInRedis(redis: RedisClient, logger: Pick<Logger, 'warn'>): void {
  const look = async (): Promise<void> => {
    const [unfinished, withResults] = [await redis.hlen(`${PREFIX}live`), await redis.zcard(`${PREFIX}expiring`)];
    if (unfinished + withResults === 0) return;
    logger.warn('batches of version 0.2.0 are in Redis and its bucket, where this version does not look', {
      unfinished,
      withResults,
      help: HELP,
    });
  };
  const begin = (): void => {
    // Without an answer, whatever else needs Redis says so.
    look().catch(() => undefined);
  };
  if (redis.status === 'ready') begin();
  else redis.once('ready', begin);
}

/** Makes metrics of batches. Those of jobs are of the whole queue, in each process; the counters are of this process. */
function measureBatches(
  registry: Registry,
  { store, runner }: { store: Pick<BatchStore, 'backlog'>; runner: Pick<BatchRunner, 'status'> },
): void {
  labelled(registry, 'land_lookup_batch_jobs', 'Batches that have not ended, by state.', ['state'], async (set) => {
    const { queued, running } = await store.backlog();
    set({ state: 'queued' }, queued);
    set({ state: 'running' }, running);
  });
  gaugesOf(registry)(
    'land_lookup_batch_oldest_seconds',
    'Age of the oldest batch of which no row was answered yet, 0 without any.',
    async () => {
      const { oldestQueuedMs } = await store.backlog();
      return oldestQueuedMs === null ? 0 : Math.max(0, Date.now() - oldestQueuedMs) / 1000;
    },
  );
  counter(registry, 'land_lookup_batch_rows_total', 'Rows of batches that were answered.', 'outcome', (set) => {
    const { rows } = runner.status();
    for (const outcome of outcomes) set(outcome, rows[outcome]);
  });
  counter(registry, 'land_lookup_batch_ended_total', 'Batches that have ended.', 'state', (set) => {
    const { ended } = runner.status();
    for (const state of batchStates.filter((state) => hasEnded({ state }))) set(state, ended[state] ?? 0);
  });
  counter(registry, 'land_lookup_batch_faults_total', 'Attempts to answer or store rows that failed.', null, (set) => {
    set('', runner.status().failures);
  });
}
