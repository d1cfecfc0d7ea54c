import type { Logger } from 'winston';
import { suspendCustomer } from '../keys/customers.ts';
import type { KeyStore } from '../keys/key-store.ts';
import type { Journal } from '../usage/journal.ts';

const AFTER_REJECTIONS = 10;

/**
 * Suspends customers whose lookups the payment processor rejects because of them: it does not know them, so each further
 * lookup would be given away (docs/decisions/0023). Another fault, such as a meter of another name, suspends nobody.
 */
export class Suspension {
  readonly #options: ConstructorParameters<typeof Suspension>[0];
  /** True from the start: the process may have ended between a rejection and the suspension. */
  #isDue = true;

  constructor(options: {
    readonly journal: Pick<Journal, 'do'>;
    readonly store: Pick<KeyStore, 'customers' | 'updateCustomer'>;
    /** Rejected lookups after which a customer is suspended. */
    readonly afterRejections?: number;
    readonly logger: Pick<Logger, 'error' | 'warn'>;
  }) {
    this.#options = options;
  }

  /** Says that lookups were rejected: the next `check` counts. */
  note(): void {
    this.#isDue = true;
  }

  /** Suspends those who reached the number. Never fails: what cannot be read or written is tried again the next time. */
  async check(): Promise<void> {
    if (!this.#isDue) return;
    this.#isDue = false;
    try {
      await this.#suspend();
    } catch (cause) {
      this.#isDue = true;
      this.#options.logger.warn('customers whose lookups are rejected could not be suspended', {
        detail: String(cause),
      });
    }
  }

  async #suspend(): Promise<void> {
    const { journal, store, afterRejections: atLeast = AFTER_REJECTIONS, logger } = this.#options;
    const known = await store.customers();
    const resumed = known.filter(({ resumedAt }) => resumedAt !== null);
    const sinceMs = Object.fromEntries(resumed.map(({ customer, resumedAt }) => [customer, Date.parse(resumedAt!)]));
    const suspended = new Set(known.filter(({ suspendedAt }) => suspendedAt !== null).map(({ customer }) => customer));
    for (const { customer, rejected, reason } of await journal.do('rejectedCustomers', { atLeast, sinceMs })) {
      if (suspended.has(customer)) continue;
      const resumedAt = known.find((record) => record.customer === customer)?.resumedAt ?? null;
      await suspendCustomer(store, customer, `${rejected} lookups rejected: ${reason}`, resumedAt, 'rejections');
      logger.error('customer suspended: its lookups get 402', { customer, rejected, reason });
    }
  }
}
