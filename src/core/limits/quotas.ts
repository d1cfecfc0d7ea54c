import type { Counted } from './limit-words.ts';
import { Quota, type QuotaOptions } from './quota.ts';

/** The limits of a service by what they count. Each is made when it is first asked for. */
export class Quotas {
  readonly #options: Omit<QuotaOptions, 'counts'>;
  readonly #made = new Map<Counted, Quota>();

  constructor(options: Omit<QuotaOptions, 'counts'> = {}) {
    this.#options = options;
  }

  of(counts: Counted): Quota {
    let quota = this.#made.get(counts);
    if (!quota) this.#made.set(counts, (quota = new Quota({ ...this.#options, counts })));
    return quota;
  }
}
