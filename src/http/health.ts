import type { Quota, QuotaMode } from '../accounts/quota.ts';
import type { SnapshotManifest } from '../contract/manifest.ts';
import type { LookupPool } from '../pool/lookup-pool.ts';

export interface HealthState {
  readonly ready: boolean;
  readonly draining: boolean;
  /** A real lookup through the pool. */
  readonly lookup: 'ok' | 'failed';
  readonly snapshot: Pick<SnapshotManifest, 'id' | 'createdAt' | 'sample'>;
  readonly pool: ReturnType<LookupPool['status']>;
  readonly redis: 'not configured' | 'ok' | 'unavailable, limits are counted per process';
}

export interface HealthOptions {
  readonly pool: Pick<LookupPool, 'lookup' | 'status'>;
  readonly snapshot: HealthState['snapshot'];
  readonly quota: Pick<Quota, 'mode'>;
}

/** A place well inside the province, for a lookup that proves the way to the data. */
const PROBE = { kind: 'point', lat: 44, lon: -79.5, full: false } as const;

/** The route is open to everyone, so it must not be a way to load the pool. */
const PROBE_INTERVAL_MS = 1000;

const REDIS_STATES = {
  process: 'not configured',
  shared: 'ok',
  insurance: 'unavailable, limits are counted per process',
} as const satisfies Record<QuotaMode, HealthState['redis']>;

/** Whether the process can answer lookups. */
export class Health {
  readonly #options: HealthOptions;
  #draining = false;
  #probe: { readonly atMs: number; readonly result: Promise<'ok' | 'failed'> } | null = null;

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  /** From now on the process is not ready: a load balancer sends no more. */
  drain(): void {
    this.#draining = true;
  }

  async check(): Promise<HealthState> {
    const lookup = await this.#lookup();
    const { pool, snapshot, quota } = this.#options;
    return {
      ready: lookup === 'ok' && !this.#draining,
      draining: this.#draining,
      lookup,
      snapshot,
      pool: pool.status(),
      redis: REDIS_STATES[quota.mode],
    };
  }

  #lookup(): Promise<'ok' | 'failed'> {
    const nowMs = performance.now();
    if (!this.#probe || nowMs - this.#probe.atMs >= PROBE_INTERVAL_MS) {
      const result = this.#options.pool.lookup(PROBE).then(
        () => 'ok' as const,
        () => 'failed' as const,
      );
      this.#probe = { atMs: nowMs, result };
    }
    return this.#probe.result;
  }
}
