import { join } from 'node:path';
import { measureBatches } from './batch-metrics.ts';
import { describeBatch } from './describe-batch.ts';
import { warnOfBatchesInRedis } from './left-in-redis.ts';
import { BatchStore } from './batch-store.ts';
import { markOfJournal } from './job.ts';
import { startRunner } from './start-runner.ts';
import { batchEnded } from '../../core/parts/events.ts';
import { partOf, type ServedFeature } from '../../feature.ts';
import { UPLOADS } from './routes/accept-batch.ts';
import { cancelBatch, deleteBatch, listBatches, showBatch } from './routes/batches.ts';
import { createBatch } from './routes/create.ts';
import { batchesPart } from './part.ts';
import { batchResults } from './routes/results.ts';
import type { Services } from '../../core/http/services.ts';
import { batchSettings } from './settings.ts';
import { Slots } from '../../core/http/slots.ts';
import type { Opened } from '../../core/parts/opened.ts';
import { settingsOf } from '../../core/settings/config.ts';
import { dayOf } from '../../messages/time.ts';

/** Many rows at once. A key sees its own batches only. */
export const batches: ServedFeature = {
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

function open(services: Services, opened: Opened) {
  const { config, redis, journal, logger, snapshots, pool, geocoding, events } = services;
  const settings = settingsOf(config, batchSettings);
  if (redis) warnOfBatchesInRedis(redis, logger);
  const store = opened.use(
    new BatchStore({
      ...settings,
      dir: join(config.dataDir, 'batches'),
      mark: markOfJournal(journal.id),
      minFreeDiskBytes: config.minFreeDiskBytes,
    }),
  );
  const runner = opened.use(
    startRunner(config, {
      ...services,
      store,
      keptMs: settings.retentionMs,
      snapshots,
      pool,
      lookups: geocoding,
      logger,
      onEnded: (job) => events.tell(batchEnded, { ...job, describe: () => describeBatch(job, Date.now()) }),
    }),
  );
  return { store, runner, uploads: new Slots(UPLOADS) };
}
