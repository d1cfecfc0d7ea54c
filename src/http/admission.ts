import type { LookupPool } from '../pool/lookup-pool.ts';
import { AppError } from '../shared/problems.ts';

export interface AdmissionOptions {
  readonly pool: Pick<LookupPool, 'status'>;
  /** Most lookups in the pool. */
  readonly maxPending: number;
}

/** A lookup is in the pool for only a part of its time: its limit is counted before, and its usage is written after. */
const UNDER_WAY_PER_PENDING = 2;

/** Shared instance: an error per refusal would spend most of its time on a stack trace, which nobody reads here. */
export const tooMany = new AppError('DB_ERROR', 'too many lookups are under way', { headers: { 'Retry-After': '1' } });

/**
 * Refuses lookups while there are more than the service can answer soon, before any work is done for them
 * (docs/decisions/0063).
 */
export class Admission {
  readonly #options: AdmissionOptions;
  /** Lookups whose request was read and is not yet answered. */
  #underWay = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** True when the service must refuse the next lookup. */
  get isFull(): boolean {
    const { pool, maxPending } = this.#options;
    return this.#underWay >= UNDER_WAY_PER_PENDING * maxPending || pool.status().pending >= maxPending;
  }

  /** @throws AppError DB_ERROR with `Retry-After` when full. */
  check(): void {
    if (this.isFull) throw tooMany;
  }

  /** Does a lookup, and counts it until it ends. @throws as `check`, and what `lookup` throws. */
  async during<Answer>(lookup: () => Promise<Answer>): Promise<Answer> {
    this.check();
    this.#underWay++;
    try {
      return await lookup();
    } finally {
      this.#underWay--;
    }
  }
}
