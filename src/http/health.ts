import type { Quota, QuotaMode } from '../accounts/quota.ts';
import type { JournalWatch } from '../accounts/usage/journal-watch.ts';
import type { SnapshotManifest } from '../shared/contract/manifest.ts';
import type { ReadyBody } from '../shared/wire/health.ts';
import type { LookupPool } from '../pool/lookup-pool.ts';
import type { SnapshotService } from '../pool/snapshot-service.ts';

export interface HealthState extends ReadyBody {
  readonly draining: boolean;
  /** A real lookup through the pool. */
  readonly lookup: 'ok' | 'failed';
  /** In service; `oldestAsOf` is the date of its oldest data set, null when it has none. */
  readonly snapshot: Pick<SnapshotManifest, 'id' | 'createdAt' | 'sample'> & {
    readonly ageHours: number;
    readonly oldestAsOf: string | null;
  };
  /** A newer snapshot that could not be put into service; the log says why. */
  readonly refused: { readonly snapshot: string; readonly at: string } | null;
  readonly pool: ReturnType<LookupPool['status']>;
  /** Without the journal no lookup is answered: a lookup is on the disk before it is on the wire. */
  readonly journal: 'ok' | 'cannot be written, lookups are refused';
  readonly redis: 'not configured' | 'ok' | 'unavailable, limits are counted per process';
}

export interface HealthOptions {
  readonly snapshots: Pick<SnapshotService, 'lookup' | 'status' | 'manifest' | 'refused'>;
  readonly quota: Pick<Quota, 'mode'>;
  readonly journal: Pick<JournalWatch, 'isWritable'>;
}

/** A place well inside the province, for a lookup that proves that the data can be read. */
export const PROBE = { kind: 'point', lat: 44, lon: -79.5, full: false } as const;

/** Shortest interval between lookups: the route is open to everyone and must not load the pool. */
const PROBE_INTERVAL_MS = 1000;

const REDIS_STATES = {
  process: 'not configured',
  shared: 'ok',
  insurance: 'unavailable, limits are counted per process',
} as const satisfies Record<QuotaMode, HealthState['redis']>;

/** Checks whether the process can answer lookups. */
export class Health {
  readonly #options: HealthOptions;
  #draining = false;
  #probe: { readonly atMs: number; readonly result: Promise<'ok' | 'failed'> } | null = null;

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  /** Makes the process not ready, so that a load balancer sends no more requests. */
  drain(): void {
    this.#draining = true;
  }

  async check(): Promise<HealthState> {
    const lookup = await this.#lookup();
    const { snapshots, quota, journal } = this.#options;
    const { refused } = snapshots;
    return {
      ready: lookup === 'ok' && journal.isWritable && !this.#draining,
      draining: this.#draining,
      lookup,
      snapshot: describe(snapshots.manifest),
      refused: refused && { snapshot: refused.snapshot, at: refused.at },
      pool: snapshots.status(),
      journal: journal.isWritable ? 'ok' : 'cannot be written, lookups are refused',
      redis: REDIS_STATES[quota.mode],
    };
  }

  #lookup(): Promise<'ok' | 'failed'> {
    const nowMs = performance.now();
    if (!this.#probe || nowMs - this.#probe.atMs >= PROBE_INTERVAL_MS) {
      // Past the admission: it tells whether the pool answers, not whether it has room.
      const result = this.#options.snapshots.lookup(PROBE).then(
        () => 'ok' as const,
        () => 'failed' as const,
      );
      this.#probe = { atMs: nowMs, result };
    }
    return this.#probe.result;
  }
}

function describe({ id, createdAt, sample, dataSets }: SnapshotManifest): HealthState['snapshot'] {
  const ageHours = Math.round((Date.now() - Date.parse(createdAt)) / 360_000) / 10;
  const [oldestAsOf = null] = Object.values(dataSets)
    .map(({ asOf }) => asOf)
    .sort();
  return { id, createdAt, sample, ageHours, oldestAsOf };
}
