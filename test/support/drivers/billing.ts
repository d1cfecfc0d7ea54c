import type Stripe from 'stripe';
import { createLogger, type Logger } from 'winston';
import { MeterReporter } from '../../../src/core/billing/meter-reporter.ts';
import { Portal, createStripe } from '../../../src/core/billing/stripe-client.ts';
import { sendEvent } from '../../../src/core/billing/send-event.ts';
import type { Billing } from '../../../src/core/open-accounts.ts';
import type { Journal } from '../../../src/core/usage/journal.ts';
import { createLookupId } from '../../../src/core/lookup/metered-lookup.ts';
import type { BillingConfig } from '../../../src/core/settings/setting-groups.ts';
import type { UsageRecord } from '../../../src/messages/journal.ts';
import type { StripeServer } from '../doubles/stripe-server.ts';
import { until } from './patience.ts';

/** All usage. */
export const ALL = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

/** For tests in which nobody is suspended. */
export const noSuspension = { note: () => undefined, check: () => Promise.resolve() };

/** Billing of a service that reports nothing by itself. */
export function silentBilling(server: StripeServer, parts: Partial<Billing> = {}): Billing {
  const stripe = clientOf(server);
  return {
    stripe,
    price: null,
    portal: new Portal({ stripe, returnUrl: null }),
    reporter: {
      hasMeter: true,
      stop: () => undefined,
      status: () => ({ delivered: 0, rejected: 0, failed: 0 }),
    },
    suspension: noSuspension,
    ...parts,
  };
}

/** Settings of the stand-in, with this secret of its notifications. */
export function billingConfig(server: StripeServer, webhookSecret: string | null): BillingConfig {
  return { apiKey: 'sk_test_123', meterEvent: 'lookup', apiBase: server.url, webhookSecret };
}

const silent = createLogger({ silent: true });

/** A client of the stand-in. */
export function clientOf(server: StripeServer): Stripe {
  return createStripe({ apiKey: 'sk_test_123', apiBase: server.url });
}

/** Delivers with short pauses. */
export function startReporter(journal: Journal, server: StripeServer, logger: Logger = silent): MeterReporter {
  const stripe = clientOf(server);
  return new MeterReporter({
    journal,
    logger,
    send: (event) => sendEvent(stripe, 'lookup', event),
    pollMs: 20,
    suspension: noSuspension,
  });
}

/** Records lookups of one customer. */
export async function record(
  journal: Journal,
  count: number,
  values: Partial<UsageRecord> = {},
): Promise<UsageRecord[]> {
  const records = Array.from({ length: count }, (): UsageRecord => {
    const atMs = values.atMs ?? Date.now();
    return { id: createLookupId(atMs), keyId: 'key_a', customer: 'cus_a', atMs, ...values };
  });
  await Promise.all(records.map((usage) => journal.do('record', { usage, answered: null })));
  return records;
}

/** Runs a reporter until nothing is pending. */
export async function deliverAll(journal: Journal, server: StripeServer): Promise<void> {
  const reporter = startReporter(journal, server);
  try {
    await until(async () => (await journal.do('backlog', null)).pending === 0);
  } finally {
    await reporter[Symbol.asyncDispose]();
  }
}
