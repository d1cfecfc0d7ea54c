import type { Limited } from './limit-words.ts';
import { Quota, type QuotaOptions } from './quota.ts';

/** The counters of a service by what they limit. Each is made when it is first asked for. */
export class Quotas {
  readonly #options: Omit<QuotaOptions, 'counts'>;
  readonly #made = new Map<Limited, Quota>();

  constructor(options: Omit<QuotaOptions, 'counts'> = {}) {
    this.#options = options;
  }

  of(counts: Limited): Quota {
    let quota = this.#made.get(counts);
    if (!quota) this.#made.set(counts, (quota = new Quota({ ...this.#options, counts })));
    return quota;
  }
}
