import type Stripe from 'stripe';
import type { Logger } from 'winston';
import type { Config } from '../config.ts';
import { openNetwork } from '../outbound/client.ts';
import { Authenticator } from './authenticator.ts';
import { Budget } from './budget.ts';
import { MeterReporter } from './billing/meter-reporter.ts';
import type { Portal } from './billing/portal.ts';
import type { PriceReader } from './billing/price.ts';
import { Suspension } from './billing/suspension.ts';
import { Idempotency } from './idempotency.ts';
import type { KeyStore } from './key-store.ts';
import { KeyUse } from './key-use.ts';
import { keyDocumentsIn, keyStoreOn } from './open-key-store.ts';
import { Quotas } from './quotas.ts';
import { oncePerMinute } from '../background/once-per-minute.ts';
import type { RedisClient } from '../stores/redis.ts';
import type { RedisSettings } from '../stores/redis-settings.ts';
import { Journal } from './usage/journal.ts';
import { JournalWatch } from './usage/journal-watch.ts';
import { keepRetention } from './usage/retention.ts';

/** Keys, limits, usage and billing of a running service. */
export interface Accounts {
  readonly authenticator: Authenticator;
  readonly quotas: Quotas;
  readonly budget: Budget;
  readonly keyUse: KeyUse;
  /** Also has the secrets of webhooks. */
  readonly keys: KeyStore;
  readonly journal: Journal;
  readonly journalWatch: JournalWatch;
  readonly idempotency: Idempotency;
  /** Null without `REDIS_URL`. */
  readonly redis: RedisClient | null;
  readonly redisSettings: RedisSettings;
  /** Null without a payment processor. */
  readonly billing: Billing | null;
}

export interface Billing {
  readonly stripe: Stripe;
  /** Reads what a lookup costs; null without a price. */
  readonly price: PriceReader | null;
  readonly portal: Portal;
  readonly reporter: MeterReporter;
  readonly suspension: Suspension;
}

export interface AccountsOptions {
  readonly logger: Logger;
  readonly quotaHourS?: number;
}

/** Undoes one step of opening; called in reverse order. */
export type Closer = () => void | Promise<void>;

/** Time that the start waits for Redis before it continues without Redis. */
const REDIS_START_MS = 2000;

/** Opens all of it. `closers` holds the steps that were taken, also when a later one fails. */
export async function openAccounts(config: Config, options: AccountsOptions, closers: Closer[]): Promise<Accounts> {
  const { logger, quotaHourS } = options;
  const { redis, keys, redisSettings } = await openKeys(config, logger, closers);
  const quotas = new Quotas({
    onInsurance: oncePerMinute((cause: Error) => {
      logger.warn('Redis does not answer: each process counts limits by itself', { detail: cause.message });
    }),
    ...(redis ? { redis } : {}),
    ...(quotaHourS === undefined ? {} : { hourS: quotaHourS }),
  });
  const keyUse = new KeyUse({ store: keys, logger });
  closers.push(() => keyUse[Symbol.asyncDispose]());
  const journal = await Journal.open(config);
  closers.push(() => journal[Symbol.asyncDispose]());
  const journalWatch = await JournalWatch.start({ journal, logger });
  closers.push(() => {
    journalWatch[Symbol.dispose]();
  });
  const retention = keepRetention({ journal, logger, retentionDays: config.usageRetentionDays });
  closers.push(() => {
    retention.stop();
  });
  const billing = await openBilling(config, { journal, store: keys, logger });
  closers.push(() => billing?.reporter[Symbol.asyncDispose]());
  const idempotency = new Idempotency(journal, redis);
  const budget = new Budget({ journalId: journal.id, redis });
  closers.push(() => budget[Symbol.asyncDispose]());
  return {
    ...{ authenticator: new Authenticator(keys), keys, keyUse, quotas, budget },
    ...{ journal, journalWatch, idempotency, redis, redisSettings, billing },
  };
}

/** Loads the Redis client only where it is used. */
async function openKeys(config: Config, logger: Logger, closers: Closer[]): Promise<OpenKeys> {
  const close = (keys: KeyStore): KeyStore => {
    closers.push(async () => keys[Symbol.asyncDispose]());
    return keys;
  };
  if (config.redisUrl === null)
    return { redis: null, keys: close(keyStoreOn(null, config)), redisSettings: { faults: [] } };
  const { connectRedis, whenReady } = await import('../stores/redis.ts');
  const { watchRedisSettings } = await import('../stores/redis-settings.ts');
  const redis = connectRedis(config.redisUrl, logRedisFaults(logger));
  const keys = close(keyStoreOn(redis, config));
  await whenReady(redis, REDIS_START_MS);
  if (redis.status === 'ready') await keyDocumentsIn(redis).requireFormat();
  return { redis, keys, redisSettings: watchRedisSettings(redis, logger) };
}

type OpenKeys = Pick<Accounts, 'redis' | 'redisSettings'> & { readonly keys: KeyStore };

/** Loads the payment processor's library only where it is used: that takes a fifth of the CPU time of a start. */
async function openBilling(
  { billing, signup, suspendAfterRejections: afterRejections }: Config,
  { journal, store, logger }: { readonly journal: Journal; readonly store: KeyStore; readonly logger: Logger },
): Promise<Billing | null> {
  if (!billing) return null;
  const { createStripe } = await import('./billing/stripe-client.ts');
  const { Portal } = await import('./billing/portal.ts');
  const { PriceReader } = await import('./billing/price.ts');
  const { sendEvent } = await import('./billing/send-event.ts');
  const suspension = new Suspension({ journal, store, afterRejections, logger });
  await openNetwork();
  const stripe = createStripe(billing);
  const { meterEvent } = billing;
  const reporter = new MeterReporter({
    ...{ journal, suspension, logger },
    send: (event) => sendEvent(stripe, meterEvent, event),
  });
  const price = signup && new PriceReader({ ...signup, stripe, logger });
  const portal = new Portal({ stripe, returnUrl: signup?.publicUrl ? `${signup.publicUrl}/account` : null });
  return { stripe, price, portal, reporter, suspension };
}

function logRedisFaults(logger: Logger): (cause: Error) => void {
  return oncePerMinute((cause) => logger.error('Redis connection', { detail: cause.message }));
}
