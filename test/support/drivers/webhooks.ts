/** Webhooks of tests, in this process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhooks, type BatchEnd } from '../../../src/features/webhooks/webhooks.ts';
import type { WebhookSecret } from '../../../src/core/keys/records.ts';
import type { WebhookSecretStore } from '../../../src/core/keys/key-store.ts';
import type { Delivery } from '../../../src/features/webhooks/delivery.ts';

/** Secrets in memory. */
export function secretsInMemory(): WebhookSecretStore & { readonly secrets: Map<string, readonly WebhookSecret[]> } {
  const secrets = new Map<string, readonly WebhookSecret[]>();
  return {
    secrets,
    changeWebhookSecrets(keyId, change) {
      const before = secrets.get(keyId) ?? [];
      const after = change(before) ?? before;
      secrets.set(keyId, after);
      return Promise.resolve(after);
    },
  };
}

/** Times with which a test need not wait for hours between attempts. No attempt is given up because the machine is busy. */
export const quick = { deadlineMs: 30_000, leaseMs: 60_000, delaysMs: [20, 40, 80, 160], pollMs: 20 } as const;

/** For receivers that never answer. */
export const impatient = { ...quick, deadlineMs: 800 } as const;

export function startWebhooks(
  dataDir: string,
  options: Partial<ConstructorParameters<typeof Webhooks<BatchEnd>>[0]> = {},
): Webhooks {
  return new Webhooks({
    ...{ dataDir, secrets: secretsInMemory(), allow: ['127.0.0.0/8', 'localhost'], times: quick },
    logger: { warn: () => undefined, error: () => undefined } as never,
    describe: ({ id, state }) => ({ id, state }),
    isClockTrusted: () => true,
    ...options,
  });
}

let made = 0;

/** A batch that has ended just now. */
export function anEndedBatch(callbackUrl: string | null, more: Partial<BatchEnd> = {}): BatchEnd {
  const endedAt = new Date().toISOString();
  const id = `bat_${String(++made).padStart(32, '0')}`;
  return { id, keyId: 'key_a', state: 'completed', callbackUrl, endedAt, expiresAt: endedAt, ...more };
}

/** Longer than anything takes on a slow machine: whoever waits in vain has found a fault, and is told of it. */
const MOST_WAIT_MS = 600_000;

/** The deliveries of a key, once all of them satisfy the condition. @throws Error with what they are when they never do. */
export async function deliveriesOnce(
  webhooks: Webhooks,
  condition: (delivery: Delivery) => boolean,
  { keyId = 'key_a' } = {},
): Promise<readonly Delivery[]> {
  const endMs = performance.now() + MOST_WAIT_MS;
  for (;;) {
    const deliveries = webhooks.list(keyId, { limit: 1000, after: null })!;
    if (deliveries.every(condition)) return deliveries;
    if (performance.now() > endMs) throw new Error(`still so: ${JSON.stringify(deliveries, null, 1)}`);
    await sleep(10);
  }
}

export const hasEnded = ({ state }: Delivery): boolean => state !== 'pending';
