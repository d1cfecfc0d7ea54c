import type { LookupPool } from '../pool/lookup-pool.ts';
import type { LookupAnswer, LookupTask } from '../shared/contract/lookup.ts';
import { AppError } from '../shared/problems.ts';

export interface AdmissionOptions {
  readonly pool: Pick<LookupPool, 'lookup' | 'status'>;
  /** Lookups that may be in the pool at once. */
  readonly maxPending: number;
}

/** A lookup is in the pool for only a part of its time: its limit is counted before, and its usage is written after. */
const UNDER_WAY_PER_PENDING = 2;

/** Shared instance: creating an error per refusal would spend most of the time on its stack trace, which nobody reads here. */
export const tooMany = new AppError('DB_ERROR', 'too many lookups are under way', { headers: { 'Retry-After': '1' } });

/**
 * Decides for the whole service whether a lookup is taken or refused for load, at three moments: before Express (`isFull`), before the
 * body is read (`check`), and when the lookup is handed to the pool (`lookup`), which may have filled up meanwhile (docs/decisions/0063).
 */
export class Admission implements Pick<LookupPool, 'lookup'> {
  readonly #options: AdmissionOptions;
  /** Lookups whose request was read and is not yet answered. */
  #underWay = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** True when the service must refuse the next lookup. */
  get isFull(): boolean {
    return this.#underWay >= UNDER_WAY_PER_PENDING * this.#options.maxPending || this.#isPoolFull;
  }

  get #isPoolFull(): boolean {
    const { pool, maxPending } = this.#options;
    return pool.status().pending >= maxPending;
  }

  /** @throws AppError DB_ERROR with `Retry-After` when full. */
  check(): void {
    if (this.isFull) throw tooMany;
  }

  /** Does the work of a request, and counts it until it ends. @throws as `check`, and what `work` throws. */
  async during<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    this.check();
    this.#underWay++;
    try {
      return await work();
    } finally {
      this.#underWay--;
    }
  }

  /** Hands a lookup to the pool. @throws AppError DB_ERROR with `Retry-After` when the pool is full, and what the pool throws. */
  async lookup(task: LookupTask): Promise<LookupAnswer> {
    if (this.#isPoolFull) throw tooMany;
    return this.#options.pool.lookup(task);
  }
}
