import { type EndedBatch, batchEnded, receiverAsked } from '../../core/parts/parts.ts';
import { settingsOf } from '../../core/settings/config.ts';
import { badRequest } from '../../messages/problems.ts';
import { callbackUrlFault } from './callback-url.ts';
import { webhookSettings } from './settings.ts';
import { type ServedFeature, partOf } from '../../feature.ts';
import { webhookRoutes } from './webhooks-route.ts';
import { webhooks as events, batchToldSchema, eventSchema } from './wire.ts';
import { Webhooks, webhooksPart } from './webhooks.ts';
import type { Registry } from 'prom-client';
import { gaugesOf, labelled } from '../../core/admin/gauges.ts';
import type { Services } from '../../core/http/services.ts';
import { deliveryStates } from './delivery.ts';

/** Reports of the ends of batches to the programs of clients. */
export const webhooks: ServedFeature = {
  guides: ['webhooks'],
  tags: [{ name: 'webhooks', description: 'Reports of the ends of batches' }],
  routes: webhookRoutes,
  webhooks: events,
  schemas: { WebhookEvent: eventSchema, Batch: batchToldSchema },
  // In every process: each sends what any of them has stored.
  part: partOf(webhooksPart, (services, opened) => {
    const { config, keys, journalWatch, logger, events } = services;
    const { allow } = settingsOf(config, webhookSettings);
    const part = opened.use(
      new Webhooks<EndedBatch>({
        dataDir: config.dataDir,
        secrets: keys,
        allow,
        logger,
        hasKey: async (id) => (await keys.findById(id)) !== null,
        describe: (batch) => batch.describe(),
        isClockTrusted: () => journalWatch.isClockTrusted,
      }),
    );
    events.on(receiverAsked, (url) => {
      const fault = callbackUrlFault(url, allow);
      if (fault !== null) throw badRequest(`callback_url cannot be used: ${fault}`, { param: 'callback_url' });
    });
    events.on(batchEnded, (batch) => {
      part.batchEnded(batch);
    });
    return part;
  }),
  measure: measureWebhooks,
};

/** Makes gauges of the deliveries on this machine. */
function measureWebhooks(registry: Registry, { parts }: Pick<Services, 'parts'>): void {
  const webhooks = parts.of(webhooksPart);
  labelled(registry, 'land_lookup_webhooks', 'Deliveries on this machine, by state.', ['state'], (set) => {
    const counts = webhooks.counts();
    for (const state of deliveryStates) set({ state }, counts[state]);
  });
  gaugesOf(registry)('land_lookup_webhooks_lag_seconds', 'Age of the oldest that is pending, 0 without any.', () => {
    const { oldestPendingMs } = webhooks.counts();
    return oldestPendingMs === null ? 0 : Math.max(0, Date.now() - oldestPendingMs) / 1000;
  });
}
