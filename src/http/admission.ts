import type { LookupPool } from '../pool/lookup-pool.ts';
import { AppError } from '../shared/problems.ts';

export interface AdmissionOptions {
  readonly pool: Pick<LookupPool, 'status'>;
  /** Lookups that the pool takes. */
  readonly maxPending: number;
}

/** A lookup is in the pool for a part of its time only: before, its limit is counted, and after, its usage is written. */
const UNDER_WAY_PER_PENDING = 2;

/** One for all: what an error costs is its stack, which tells nothing here. */
export const tooMany = new AppError('DB_ERROR', 'too many lookups are under way', { headers: { 'Retry-After': '1' } });

/** Turns lookups away while there are more than can be answered soon, before anything is spent on them (docs/decisions/0063). */
export class Admission {
  readonly #options: AdmissionOptions;
  /** Lookups that were read and are not answered. */
  #underWay = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** One more lookup would be too many. */
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
