import type { Logger } from 'winston';
import type { KeyStore } from '../keys/key-store.ts';
import { lookupLimit } from '../limits/limit-words.ts';
import type { QuotaMode, Quotas } from '../limits/quota.ts';
import type { JournalWatch } from '../usage/journal-watch.ts';
import type { Geocoding, GeocoderState } from '../lookup/geocoding.ts';
import { type Config, needsRegister } from '../settings/config.ts';
import type { SnapshotManifest } from '../../messages/manifest.ts';
import { AppError } from '../../messages/problems.ts';
import type { ReadyBody } from '../../messages/wire/health.ts';
import type { LookupPool } from '../pool/lookup-pool.ts';
import type { SnapshotService } from '../pool/snapshot-service.ts';
import type { UnavailableReason } from '../../messages/reasons.ts';

interface HealthState extends ReadyBody {
  /** Why the process is not ready; empty when it is. */
  readonly notReady: readonly Obstacle[];
  readonly draining: boolean;
  /** A real lookup through the pool. */
  readonly lookup: 'ok' | 'failed';
  /** In service; `oldestAsOf` is the date of its oldest data set, null when it has none. `addresses`: null without an address register. */
  readonly snapshot: Pick<SnapshotManifest, 'id' | 'createdAt' | 'sample'> & {
    readonly addresses: number | null;
    readonly ageHours: number;
    readonly oldestAsOf: string | null;
  };
  /** A newer snapshot that could not be put into service; the log says why. */
  readonly refused: { readonly snapshot: string; readonly at: string } | null;
  /** `hungThreads` since the start. */
  readonly pool: LookupPool['status'] & { readonly hungThreads: number };
  /** Without the journal no lookup is answered: a lookup is on the disk before it is on the wire. */
  readonly journal: 'ok' | 'cannot be written, lookups are refused';
  readonly keys: (typeof KEYS_STATES)[keyof typeof KEYS_STATES];
  readonly redis: (typeof REDIS_STATES)[QuotaMode];
  readonly geocoder: string;
}

/** A place well inside the province, for a lookup that proves that the data can be read. */
const PROBE = { kind: 'point', lat: 44, lon: -79.5, full: false } as const;

/** Shortest interval between probes: the route is open to everyone and must not load the pool or the stores. */
const PROBE_INTERVAL_MS = 1000;

const REDIS_STATES = {
  process: 'not configured, so no other process may serve the same data',
  shared: 'ok',
  insurance: 'unavailable, limits are counted per process',
} as const satisfies Record<QuotaMode, string>;

const KEYS_STATES = {
  all: 'ok',
  remembered: 'the store does not answer: only keys work that this machine has seen within a day',
  none: 'the store does not answer',
} as const;

/** What was found by asking. */
interface Probed {
  /** Why a lookup failed; null: it did not. */
  readonly fault: 'TOO_LATE' | 'DATA_UNREADABLE' | null;
  readonly keys: keyof typeof KEYS_STATES;
  readonly geocoder: GeocoderState;
}

/** Checks whether the process can answer lookups of addresses (docs/decisions/0061). */
export class Health {
  readonly #options: ConstructorParameters<typeof Health>[0];
  #draining = false;
  #probe: { readonly atMs: number; readonly result: Promise<Probed> } | null = null;
  /** Reasons that the log has. */
  #logged = '';

  constructor(options: {
    readonly config: Pick<Config, 'geocoders'>;
    readonly snapshots: Pick<SnapshotService, 'pool' | 'manifest' | 'refused'>;
    readonly hungThreads: { readonly count: number };
    readonly quotas: Pick<Quotas, 'of'>;
    readonly journalWatch: Pick<JournalWatch, 'fault'>;
    readonly keys: Pick<KeyStore, 'reach'>;
    readonly geocoding: Pick<Geocoding, 'state'>;
    readonly logger: Pick<Logger, 'info' | 'error'>;
  }) {
    this.#options = options;
  }

  /** Makes the process not ready, so that a load balancer sends no more requests. */
  drain(): void {
    this.#draining = true;
  }

  /** Logs a change of the reasons. Never fails. */
  async check(): Promise<HealthState> {
    const probed = await this.#probed();
    const { snapshots, hungThreads, quotas, journalWatch } = this.#options;
    const { refused } = snapshots;
    const notReady = this.#obstacles(probed);
    if (!this.#draining) this.#log(notReady);
    return {
      ready: notReady.length === 0,
      notReady,
      draining: this.#draining,
      lookup: probed.fault === null ? 'ok' : 'failed',
      snapshot: describe(snapshots.manifest),
      refused: refused && { snapshot: refused.snapshot, at: refused.at },
      pool: { ...snapshots.pool.status, hungThreads: hungThreads.count },
      journal: journalWatch.fault === null ? 'ok' : 'cannot be written, lookups are refused',
      keys: KEYS_STATES[probed.keys],
      redis: REDIS_STATES[quotas.of(lookupLimit).mode],
      geocoder: probed.geocoder.words,
    };
  }

  #obstacles({ fault, keys, geocoder }: Probed): Obstacle[] {
    const { config, snapshots, journalWatch } = this.#options;
    const reasons = [
      ...(this.#draining ? (['STOPPING'] as const) : []),
      ...(fault === null ? [] : [fault]),
      // It is damaged, and there is no other: some lookups can still be answered, others not.
      ...(fault === null && snapshots.refused?.snapshot === snapshots.manifest.id
        ? (['DATA_UNREADABLE'] as const)
        : []),
      ...(needsRegister(config) && snapshots.manifest.gazetteer === null ? (['NO_REGISTER'] as const) : []),
      ...(keys === 'none' ? (['KEYS_UNREACHABLE'] as const) : []),
      ...(journalWatch.fault === null ? [] : [journalWatch.fault]),
    ];
    const own = reasons.map((reason) => ({ reason, help: obstacleHelp[reason] }));
    return geocoder.obstacle ? [...own, geocoder.obstacle] : own;
  }

  #log(notReady: HealthState['notReady']): void {
    const reasons = notReady.map(({ reason }) => reason);
    if (reasons.join() === this.#logged) return;
    this.#logged = reasons.join();
    const { logger } = this.#options;
    if (reasons.length === 0) logger.info('ready');
    else logger.error('not ready', { reasons, help: notReady.map(({ help }) => help).join('; ') });
  }

  #probed(): Promise<Probed> {
    const nowMs = performance.now();
    if (!this.#probe || nowMs - this.#probe.atMs >= PROBE_INTERVAL_MS)
      this.#probe = { atMs: nowMs, result: this.#ask() };
    return this.#probe.result;
  }

  async #ask(): Promise<Probed> {
    const { snapshots, keys, geocoding } = this.#options;
    // Past the gate: it tells whether the pool answers, not whether it has room.
    const fault = snapshots.pool.lookup(PROBE).then(
      () => null,
      (cause: unknown) => (AppError.from(cause).reason === 'TOO_LATE' ? 'TOO_LATE' : 'DATA_UNREADABLE'),
    );
    const [reach, geocoder] = await Promise.all([keys.reach(), geocoding.state()]);
    return { fault: await fault, keys: reach, geocoder };
  }
}

function describe({ id, createdAt, sample, dataSets, gazetteer }: SnapshotManifest): HealthState['snapshot'] {
  const ageHours = Math.round((Date.now() - Date.parse(createdAt)) / 360_000) / 10;
  const [oldestAsOf = null] = Object.values(dataSets)
    .map(({ asOf }) => asOf)
    .sort();
  return { id, createdAt, sample, addresses: gazetteer?.civicPoints ?? null, ageHours, oldestAsOf };
}

/** Why a process cannot answer lookups of addresses, in the words of answers with 503, and what an operator does about it. */
export const obstacleHelp = {
  STOPPING: 'the process is stopping',
  TOO_LATE:
    'the lookup threads do not answer in time: the machine is too busy, its disk is too slow, or a lookup hangs (see the log and pool.hungThreads); a thread that hangs is replaced after ten times LOOKUP_DEADLINE_MS',
  DATA_UNREADABLE:
    'the snapshot in service cannot be read: run "land-lookup snapshot verify", and put another one into service ("land-lookup snapshot list", "land-lookup snapshot use")',
  NO_REGISTER:
    'the snapshot in service has no address register: run "land-lookup load-addresses", or put another one into service ("land-lookup snapshot list", "land-lookup snapshot use")',
  KEYS_UNREACHABLE:
    'the key store does not answer, and this machine remembers no key: check REDIS_URL and Redis, or the file accounts.sqlite',
  STORAGE_FULL: 'lookups cannot be recorded, because the disk of DATA_DIR is full (df): make room',
  STORAGE_UNREACHABLE:
    'lookups cannot be recorded: check whether the disk of DATA_DIR is read-only or failing (findmnt, dmesg)',
} as const satisfies Partial<Record<UnavailableReason, string>> & { readonly STOPPING: string };

interface Obstacle {
  readonly reason: UnavailableReason | 'STOPPING';
  readonly help: string;
}
