import type { Registry } from 'prom-client';
import type { MeteredLookup } from '../lookup/metered-lookup.ts';
import type { Accounts } from '../open-accounts.ts';
import type { Config } from '../settings/config.ts';
import type { Events, Parts } from '../parts/parts.ts';
import type { Geocoding } from '../lookup/geocoding.ts';
import type { ServiceLogger } from '../settings/logger.ts';
import type { LookupPoolOptions } from '../pool/lookup-pool.ts';
import type { SnapshotService } from '../pool/snapshot-service.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { ReadArea } from '../../messages/lookup.ts';
import type { Gate } from '../pool/gate.ts';
import type { AnswerMember } from './answer-members.ts';
import type { BadKeyLimit, RefusedRequests } from './refused-requests.ts';
import type { KeyBodies } from './key-bodies.ts';
import type { Health } from './health.ts';
import type { LongAnswers } from './send-answer.ts';
import type { Maps } from './lookup-request.ts';
import type { RequestCounts } from './request-metrics.ts';
import type { makeServiceDocuments } from './service-documents.ts';

/**
 * All that a service has open, which every route gets: plain members, so that the compiler sees one that is missing. `src/service.ts` opens it,
 * and tests override members of it.
 */
export interface Services extends Accounts {
  readonly config: Config;
  readonly logger: ServiceLogger;
  readonly catalogue: Catalogue;
  /** Keys of the answers that are given to those alone who ask for them. */
  readonly furtherKeys: readonly string[];
  readonly snapshots: Pick<SnapshotService, 'manifest' | 'refused' | 'pool' | 'reload'>;
  /** Null: lookups give nothing for maps. */
  readonly maps: Maps | null;
  /** What features add to the answers of lookups, for those who ask. */
  readonly members: readonly AnswerMember[];
  /** Reads the geometry of rows that are areas; null: none are looked up. */
  readonly readArea: ReadArea | null;
  /** For lookup threads on another snapshot than the one in service. */
  readonly pool: LookupPoolOptions;
  /** Lookup threads that were replaced since the start because a lookup hung in them. */
  readonly hungThreads: { readonly count: number };
  readonly gate: Gate;
  readonly geocoding: Pick<Geocoding, 'lookup' | 'state'>;
  readonly lookups: MeteredLookup;
  /** Shared by all routes that take keys. */
  readonly badKeys: BadKeyLimit;
  readonly bodies: KeyBodies;
  readonly refusedRequests: RefusedRequests;
  /** What it says of itself: its catalogue of layers and their licences. Each is the same object until it changes. */
  readonly documents: ReturnType<typeof makeServiceDocuments>;
  readonly health: Health;
  readonly metrics: Registry;
  /** What features have open. */
  readonly parts: Parts;
  readonly events: Events;
  readonly requests: RequestCounts;
  readonly longAnswers: LongAnswers;
}
