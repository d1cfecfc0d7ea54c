import type { Registry } from 'prom-client';
import type { MeteredLookup } from '../lookup/metered-lookup.ts';
import type { Accounts } from '../open-accounts.ts';
import type { Config } from '../settings/config.ts';
import type { Events } from '../parts/events.ts';
import type { Geocoding } from '../geocoders/geocoding.ts';
import type { ServiceLogger } from '../settings/logger.ts';
import type { Parts } from '../parts/parts.ts';
import type { LookupPoolOptions } from '../pool/lookup-pool.ts';
import type { SnapshotService } from '../pool/snapshot-service.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { ReadArea } from '../../messages/lookup.ts';
import type { Admission } from '../pool/admission.ts';
import type { BadKeyLimit } from './bad-key-limit.ts';
import type { KeyBodies } from './key-bodies.ts';
import type { Health } from './health.ts';
import type { LongAnswers } from './long-answers.ts';
import type { Maps } from './lookup-request.ts';
import type { RefusedRequests } from './refused-requests.ts';
import type { RequestCounts } from './request-metrics.ts';
import type { ServiceDocuments } from './service-documents.ts';

/**
 * All that a service has open, which every route gets: plain members, so that the compiler sees one that is missing. `src/open-services.ts` opens it,
 * and tests override members of it.
 */
export interface Services extends Accounts {
  readonly config: Config;
  readonly logger: ServiceLogger;
  readonly catalogue: Catalogue;
  /** Keys of the answers that are given to those alone who ask for them. */
  readonly furtherKeys: readonly string[];
  readonly snapshots: Pick<SnapshotService, 'manifest' | 'refused' | 'lookup' | 'lookupRows' | 'status' | 'reload'>;
  /** Null: lookups give nothing for maps. */
  readonly maps: Maps | null;
  /** Reads the geometry of rows that are areas; null: none are looked up. */
  readonly readArea: ReadArea | null;
  /** For lookup threads on another snapshot than the one in service. */
  readonly pool: LookupPoolOptions;
  /** Lookup threads that were replaced since the start because a lookup hung in them. */
  readonly hungThreads: { readonly count: number };
  readonly admission: Admission;
  readonly geocoding: Pick<Geocoding, 'needs' | 'lookup' | 'remoteState'>;
  readonly lookups: MeteredLookup;
  /** Shared by all routes that take keys. */
  readonly badKeys: BadKeyLimit;
  readonly bodies: KeyBodies;
  readonly refusedRequests: RefusedRequests;
  readonly documents: ServiceDocuments;
  readonly health: Health;
  readonly metrics: Registry;
  /** What features have open. */
  readonly parts: Parts;
  readonly events: Events;
  readonly requests: RequestCounts;
  readonly longAnswers: LongAnswers;
}
