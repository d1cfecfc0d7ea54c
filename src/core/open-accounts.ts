import { join } from 'node:path';
import type Stripe from 'stripe';
import type { Logger } from 'winston';
import type { Config } from './settings/config.ts';
import type { Opened } from './parts/parts.ts';
import { openNetwork } from './outbound/client.ts';
import { Authenticator, KeyUse } from './keys/authenticator.ts';
import { Budget } from './limits/budget.ts';
import { MeterReporter } from './billing/meter-reporter.ts';
import type { Portal } from './billing/stripe-client.ts';
import type { PriceReader } from './billing/shown-price.ts';
import { Suspension } from './billing/suspension.ts';
import { Idempotency } from './lookup/idempotency.ts';
import type { KeyStore } from './keys/key-store.ts';
import { keyDocumentsIn, keyStoreOn, rememberedKeysOn } from './keys/open-key-store.ts';
import { Quotas } from './limits/quota.ts';
import { Loop, oncePerMinute } from './loop/loop.ts';
import { MINUTE_MS } from '../messages/time.ts';
import { takeLock } from './files/lock.ts';
import { makePrivateDatabase } from './files/make-folder.ts';
import type { watchRedisSettings, RedisClient } from './stores/redis.ts';
import { Journal } from './usage/journal.ts';
import { JournalWatch } from './usage/journal-watch.ts';
import { keepRetention } from './usage/retention.ts';

/** Keys, limits, usage and billing of a running service. */
export interface Accounts {
  readonly authenticator: Authenticator;
  readonly quotas: Quotas;
  readonly budget: Budget;
  readonly keyUse: Pick<KeyUse, 'note'>;
  /** Also has the secrets of webhooks. */
  readonly keys: KeyStore;
  readonly journal: Journal;
  readonly journalWatch: Pick<JournalWatch, 'fault' | 'isClockTrusted'>;
  readonly idempotency: Idempotency;
  /** Null without `REDIS_URL`. */
  readonly redis: RedisClient | null;
  readonly redisSettings: ReturnType<typeof watchRedisSettings>;
  /** Keeps other processes from counting limits for the same data, until it is disposed; null with Redis, which counts for all. */
  readonly countsAlone: Disposable | null;
  /** Null without a payment processor. */
  readonly billing: Billing | null;
}

export interface Billing {
  readonly stripe: Stripe;
  /** Reads what a lookup costs; null without a price. What knows the price sets it. */
  price: Pick<PriceReader, 'read' | 'known'> | null;
  readonly portal: Pick<Portal, 'linkFor' | 'returnUrl'>;
  readonly reporter: Pick<MeterReporter, 'hasMeter' | 'status' | 'stop'>;
  readonly suspension: Pick<Suspension, 'note' | 'check'>;
}

export interface AccountsOptions {
  readonly logger: Logger;
  /** Length of an hour of the limits in seconds; less where a test needs less. */
  readonly quotaHourS?: number;
  /** Opens the journal: `Journal.open`, unless a test needs no thread for it. */
  readonly openJournal?: (config: Pick<Config, 'dataDir'>) => Promise<Journal>;
  /** Time in ms after which a command to Redis, and the wait for Redis at the start, are given up; more where a test needs more. */
  readonly redisTimeoutMs?: number;
  /** Parts that somebody else has opened, and closes. */
  readonly overrides?: Partial<Accounts>;
}

/** Time that the start waits for Redis before it continues without Redis. */
const REDIS_START_MS = 2000;

/** Opens all of it. `opened` takes what was opened, also when a later step fails. */
export async function openAccounts(config: Config, options: AccountsOptions, opened: Opened): Promise<Accounts> {
  const { logger, overrides = {} } = options;
  const { redis, redisSettings, keys } = await openKeys(config, options, opened);
  const countsAlone = redis ? null : opened.use(countAlone(config));
  const quotas = overrides.quotas ?? openQuotas(redis, options);
  const keyUse = overrides.keyUse ?? opened.use(new KeyUse(keys, logger));
  const journal = overrides.journal ?? opened.use(await (options.openJournal?.(config) ?? Journal.open(config)));
  const journalWatch = overrides.journalWatch ?? opened.use(await JournalWatch.start({ journal, logger }));
  const retention = keepRetention({ journal, logger, retentionDays: config.usageRetentionDays });
  opened.defer(() => {
    retention.stop();
  });
  const billing =
    overrides.billing === undefined
      ? await openBilling(config, { journal, store: keys, logger, opened })
      : overrides.billing;
  const idempotency = new Idempotency(journal, redis);
  const budget = opened.use(new Budget({ journalId: journal.id, redis }));
  const authenticator = new Authenticator(keys);
  return {
    authenticator,
    quotas,
    budget,
    keyUse,
    keys,
    journal,
    journalWatch,
    idempotency,
    redis,
    redisSettings,
    countsAlone,
    billing,
  };
}

/** @throws LockHeld while another process serves the same data without Redis: each would grant all limits. A count in a shared file would be a write in each lookup, on the main thread. */
function countAlone({ dataDir }: Pick<Config, 'dataDir'>): Disposable {
  const file = join(dataDir, 'limits.sqlite.lock');
  makePrivateDatabase(file);
  return takeLock(
    file,
    'another process serves the same DATA_DIR, and without Redis each would grant all limits by itself: set REDIS_URL for both (docs/operations.md, "Change to Redis"), or stop the other one first',
  );
}

function openQuotas(redis: RedisClient | null, { logger, quotaHourS }: AccountsOptions): Quotas {
  return new Quotas({
    onInsurance: oncePerMinute((cause: Error) => {
      logger.warn('Redis does not answer: each process counts limits by itself', { detail: cause.message });
    }),
    ...(redis ? { redis } : {}),
    ...(quotaHourS === undefined ? {} : { hourS: quotaHourS }),
  });
}

/** Loads the Redis client only where it is used. */
async function openKeys(
  config: Config,
  { logger, redisTimeoutMs, overrides }: AccountsOptions,
  opened: Opened,
): Promise<Pick<Accounts, 'redis' | 'redisSettings' | 'keys'>> {
  if (config.redisUrl === null) {
    const keys = overrides?.keys ?? opened.use(keyStoreOn(null, config));
    return { redis: null, redisSettings: { faults: [] }, keys };
  }
  const stores = await import('./stores/redis.ts');
  const redis = stores.connectRedis(config.redisUrl, logRedisFaults(logger), redisTimeoutMs);
  // Closes the client too.
  const keys = opened.use(rememberedKeysOn(redis, config));
  await stores.whenReady(redis, redisTimeoutMs ?? REDIS_START_MS);
  if (redis.status === 'ready') await keyDocumentsIn(redis).requireFormat();
  opened.use(
    new Loop({
      everyMs: MINUTE_MS,
      turn: (stop) => keys.repeatRevocations(stop),
      onFailure: (cause) => {
        logger.warn('revoked keys could not be compared with Redis', { detail: String(cause) });
      },
    }),
  );
  return { redis, redisSettings: stores.watchRedisSettings(redis, logger), keys };
}

/** Loads the payment processor's library only where it is used: that takes a fifth of the CPU time of a start. */
async function openBilling(
  { billing }: Config,
  { journal, store, logger, opened }: { journal: Journal; store: KeyStore; logger: Logger; opened: Opened },
): Promise<Billing | null> {
  if (!billing) return null;
  const { createStripe, Portal } = await import('./billing/stripe-client.ts');
  const { sendEvent } = await import('./billing/send-event.ts');
  const suspension = new Suspension({ journal, store, logger });
  await openNetwork();
  const stripe = createStripe(billing);
  const { meterEvent } = billing;
  const reporter = opened.use(
    new MeterReporter({ journal, suspension, logger, send: (event) => sendEvent(stripe, meterEvent, event) }),
  );
  return { stripe, price: null, portal: new Portal({ stripe }), reporter, suspension };
}

function logRedisFaults(logger: Logger): (cause: Error) => void {
  return oncePerMinute((cause) => logger.error('Redis connection', { detail: cause.message }));
}
