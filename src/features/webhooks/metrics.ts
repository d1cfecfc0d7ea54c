import type { Registry } from 'prom-client';
import { gaugesOf, labelled } from '../../core/admin/gauges.ts';
import type { Services } from '../../core/http/services.ts';
import { deliveryStates } from './delivery.ts';
import { webhooksPart } from './webhooks.ts';

/** Makes gauges of the deliveries on this machine. */
export function measureWebhooks(registry: Registry, { parts }: Pick<Services, 'parts'>): void {
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
