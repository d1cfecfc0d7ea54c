import type Stripe from 'stripe';
import type { Logger } from 'winston';
import { changeFor, followPayment } from '../accounts/keys/customers.ts';
import type { CustomerRecord, KeyStore } from '../accounts/keys/key-store.ts';
import { isMissing } from './checkout.ts';
import { faultOf, needsOpenBills } from './standing.ts';

export interface LifeCycleOptions {
  readonly stripe: Pick<Stripe, 'customers' | 'subscriptions' | 'invoices'>;
  readonly store: Pick<KeyStore, 'customers' | 'updateCustomer' | 'list'>;
  readonly price: string;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** Objects per answer of the processor; it gives no more. */
const PAGE = 100;

/** Most pages of one comparison: 200,000 subscriptions. */
const MOST_PAGES = 2000;

const DELETED = 'the customer was deleted at the payment processor';

/**
 * Stops the keys of customers who do not pay, and lets them work again when they do. It asks the processor what is so now, whatever a webhook
 * says, so that webhooks may come twice, late and in any order (docs/decisions/0140).
 */
export class LifeCycle {
  readonly #options: LifeCycleOptions;
  #reconciledMs: number | null = null;

  constructor(options: LifeCycleOptions) {
    this.#options = options;
  }

  /** When all subscriptions were compared last, in milliseconds since 1970; null: not yet. */
  get reconciledMs(): number | null {
    return this.#reconciledMs;
  }

  /** Does what the processor says of a customer now. @throws Error when it does not answer. */
  async customerChanged(customer: string): Promise<void> {
    const { stripe, price } = this.#options;
    if (await this.#isDeleted(customer)) {
      if (await this.#hasKeys(customer)) await this.#follow(customer, DELETED);
      return;
    }
    const { data } = await stripe.subscriptions.list({ customer, price, status: 'all', limit: PAGE });
    await this.#judge(customer, data);
  }

  /** Compares all subscriptions to the price with the customers here, for webhooks that never came. @throws Error when the processor does not answer. */
  async reconcile(): Promise<void> {
    const byCustomer = await this.#allSubscriptions();
    const known = new Map((await this.#options.store.customers()).map((record) => [record.customer, record]));
    for (const [customer, subscriptions] of byCustomer) await this.#judge(customer, subscriptions, known);
    this.#reconciledMs = Date.now();
  }

  async #allSubscriptions(): Promise<Map<string, Stripe.Subscription[]>> {
    const { stripe, price } = this.#options;
    const byCustomer = new Map<string, Stripe.Subscription[]>();
    let after: string | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const from = after === undefined ? {} : { starting_after: after };
      const { data, has_more } = await stripe.subscriptions.list({ price, status: 'all', limit: PAGE, ...from });
      for (const subscription of data) {
        const customer = idOf(subscription.customer);
        byCustomer.set(customer, [...(byCustomer.get(customer) ?? []), subscription]);
      }
      after = data.at(-1)?.id;
      if (!has_more || after === undefined) break;
    }
    return byCustomer;
  }

  /** @param known customers as they were read before; one for whom nothing changes is then not written. */
  async #judge(
    customer: string,
    subscriptions: readonly Stripe.Subscription[],
    known?: ReadonlyMap<string, CustomerRecord>,
  ): Promise<void> {
    const openSinceMs = new Map<string, number>();
    for (const { id } of subscriptions.filter(needsOpenBills)) {
      const sinceMs = await this.#oldestOpenBill(id);
      if (sinceMs !== null) openSinceMs.set(id, sinceMs);
    }
    const fault = faultOf(subscriptions, openSinceMs, Date.now());
    if (fault === undefined) return;
    if (known && !changeFor(known.get(customer) ?? null, customer, fault)) return;
    await this.#follow(customer, fault);
  }

  async #oldestOpenBill(subscription: string): Promise<number | null> {
    const { data } = await this.#options.stripe.invoices.list({ subscription, status: 'open', limit: PAGE });
    return data.length === 0 ? null : Math.min(...data.map(({ created }) => created * 1000));
  }

  async #follow(customer: string, fault: string | null): Promise<void> {
    const { store, logger } = this.#options;
    const changed = await followPayment(store, customer, fault);
    if (!changed) return;
    if (changed.suspendedAt !== null)
      logger.warn('customer suspended: its lookups get 402', { customer, reason: fault });
    else logger.info('customer pays again', { customer });
  }

  async #isDeleted(customer: string): Promise<boolean> {
    try {
      const found = await this.#options.stripe.customers.retrieve(customer);
      return found.deleted === true;
    } catch (cause) {
      if (isMissing(cause)) return true;
      throw cause;
    }
  }

  /** Reads all keys, which only the rare end of a customer does. */
  async #hasKeys(customer: string): Promise<boolean> {
    return (await this.#options.store.list()).some((key) => key.customer === customer);
  }
}

function idOf(object: string | { readonly id: string }): string {
  return typeof object === 'string' ? object : object.id;
}
