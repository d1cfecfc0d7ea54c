import { batchEnded, type EndedBatch } from '../../core/parts/events.ts';
import { partOf, type ServedFeature } from '../../feature.ts';
import { batchSchema } from '../../messages/wire/batch.ts';
import { webhookRoutes } from './webhooks-route.ts';
import { webhooks as events } from './webhook-events.ts';
import { eventSchema } from './wire.ts';
import { Webhooks, webhooksPart } from './webhooks.ts';
import { measureWebhooks } from './metrics.ts';

/** Reports of the ends of batches to the programs of clients. */
export const webhooks: ServedFeature = {
  routes: webhookRoutes,
  webhooks: events,
  // The event has a batch, which stands in the document also where batches are left out.
  schemas: { WebhookEvent: eventSchema, Batch: batchSchema },
  // In every process: each sends what any of them has stored.
  part: partOf(webhooksPart, async (services, opened) => {
    const { config, keys, journalWatch, logger, events } = services;
    const part = opened.use(
      await Webhooks.start<EndedBatch>({
        dataDir: config.dataDir,
        secrets: keys,
        allow: config.webhookAllow,
        logger,
        hasKey: async (id) => (await keys.findById(id)) !== null,
        describe: (batch) => batch.describe(),
        isClockTrusted: () => journalWatch.isClockTrusted,
      }),
    );
    events.on(batchEnded, (batch) => {
      part.batchEnded(batch);
    });
    return part;
  }),
  measure: measureWebhooks,
};
