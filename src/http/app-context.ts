/** What the routes of a running service get. `src/service.ts` opens the parts. */
import type { Counter, Registry } from 'prom-client';
import { MeteredLookup, type MeteringContext } from '../accounts/metered-lookup.ts';
import type { Accounts } from '../accounts/open-accounts.ts';
import type { BatchStore } from '../batches/batch-store.ts';
import type { BatchJob } from '../batches/job.ts';
import type { BatchRunner } from '../batches/runner.ts';
import type { Config } from '../config.ts';
import type { Geocoding } from '../geocoders/geocoding.ts';
import type { ServiceLogger } from '../logger.ts';
import type { LookupPoolOptions } from '../pool/lookup-pool.ts';
import type { SnapshotService } from '../pool/snapshot-service.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import { furtherKeysOf } from '../shared/further-keys.ts';
import type { OpenSignups } from '../signup/open-signups.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { Admission } from './admission.ts';
import type { AppContext } from './app.ts';
import { BadKeyLimit } from './bad-key-limit.ts';
import { attributionsBySnapshot } from './batches/attributions.ts';
import { UPLOADS, type BatchContext } from './batches/batch-context.ts';
import type { Health } from './health.ts';
import { Slots } from './slots.ts';
import type { ServiceDocuments } from './service-documents.ts';
import type { StripeWebhookContext } from './stripe-webhook-route.ts';

/** What a lookup needs. */
export interface LookupParts {
  readonly catalogue: Catalogue;
  readonly snapshots: SnapshotService;
  readonly pool: LookupPoolOptions;
  /** Lookup threads that were replaced since the start because a lookup hung in them. */
  readonly hungThreads: { readonly count: number };
  readonly accounts: Accounts;
  readonly admission: Admission;
  readonly metering: MeteringContext & { readonly pool: Geocoding };
  readonly documents: ServiceDocuments;
  readonly health: Health;
}

/** What goes on beside requests. */
export interface BackgroundParts {
  readonly metrics: Registry;
  readonly requests: Counter;
  readonly webhooks: Webhooks<BatchJob>;
  readonly signup: OpenSignups | null;
  readonly store: BatchStore;
  readonly runner: BatchRunner;
}

export interface ServiceParts extends LookupParts, BackgroundParts {}

/** Puts the parts together for the routes. It opens nothing. */
export function contextOf(config: Config, parts: ServiceParts, logger: ServiceLogger): AppContext {
  const { accounts, admission, metering, documents, health, metrics, requests, webhooks, signup } = parts;
  const { authenticator, keyUse, quotas } = accounts;
  const { logAddresses, trustProxyHops, rateLimitPerHour: lookupsPerHour } = config;
  return {
    ...{ logger, logAddresses, trustProxyHops, metrics, requests, documents },
    ...{ authenticator, keyUse, admission, badKeys: new BadKeyLimit(), lookups: new MeteredLookup(metering) },
    health,
    furtherKeys: furtherKeysOf(parts.catalogue),
    ...{ quotas, suggestPerHour: config.suggestPerHour },
    batches: batchesOf(config, parts),
    webhooks,
    ...{ account: accountOf(config, parts), hasAccountPage: config.signup !== null },
    signup: signup && { ...signup, quotas, lookupsPerHour },
    webhook: webhookOf(config, parts, logger),
  };
}

function accountOf(
  { maxInFlightPerKey: maxInFlight }: Config,
  { accounts, store }: ServiceParts,
): AppContext['account'] {
  const { keys, journal, budget, redis, billing } = accounts;
  return {
    ...{ keys, journal, budget, batches: store, maxInFlight, isShared: redis !== null },
    ...{ price: billing?.price ?? null, portal: billing?.portal ?? null },
  };
}

function batchesOf({ dataDir, webhookAllow }: Config, parts: ServiceParts): BatchContext {
  const { store, runner, catalogue, snapshots } = parts;
  const manifestInService = () => snapshots.manifest;
  return {
    ...{ store, catalogue, callbackAllowList: webhookAllow, uploads: new Slots(UPLOADS) },
    snapshotInService: () => manifestInService().id,
    attributionOf: attributionsBySnapshot({ dataDir, catalogue, manifestInService }),
    onAccepted: () => {
      runner.wake();
    },
  };
}

function webhookOf(
  config: Config,
  { accounts: { billing, journal }, signup }: ServiceParts,
  logger: ServiceLogger,
): StripeWebhookContext | null {
  const secret = config.billing?.webhookSecret ?? null;
  return billing && secret !== null ? { ...billing, secret, journal, logger, take: signup?.take ?? null } : null;
}
