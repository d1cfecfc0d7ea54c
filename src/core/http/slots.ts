import { rateLimited, unavailable } from '../../messages/problems.ts';

export interface SlotLimits {
  readonly most: number;
  readonly mostEach: number;
  /** Says that a holder has too many, and that there are too many in all. */
  readonly messages: { readonly each: string; readonly all: string };
}

const soon = { retryAfterS: 5 };

/** Bounds how much work of one kind a process does at once, in all and for each holder, for example a customer. */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #ofHolder = new Map<string, number>();
  #total = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Does the work. @throws AppError RATE_LIMITED or DB_ERROR when too much is under way, and what `work` throws. */
  async during<T>(holder: string, work: () => Promise<T>): Promise<T> {
    const { most, mostEach, messages } = this.#limits;
    if (this.#of(holder) >= mostEach) throw rateLimited('AT_ONCE', messages.each, soon);
    if (this.#total >= most) throw unavailable('OVERLOADED', messages.all, soon);
    this.#count(holder, 1);
    try {
      return await work();
    } finally {
      this.#count(holder, -1);
    }
  }

  #of(holder: string): number {
    return this.#ofHolder.get(holder) ?? 0;
  }

  #count(holder: string, change: 1 | -1): void {
    this.#total += change;
    const own = this.#of(holder) + change;
    if (own === 0) this.#ofHolder.delete(holder);
    else this.#ofHolder.set(holder, own);
  }
}
