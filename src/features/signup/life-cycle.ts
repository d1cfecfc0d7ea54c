import type Stripe from 'stripe';
import type { Logger } from 'winston';
import { changeFor, followPayment } from '../../core/keys/customers.ts';
import type { KeyStore } from '../../core/keys/key-store.ts';
import { isMissing } from './checkout.ts';
import { DAY_MS } from '../../messages/time.ts';

/** Objects per answer of the processor; it gives no more. */
const PAGE = 100;

/** Most pages of one comparison: 200,000 subscriptions. */
const MOST_PAGES = 2000;

/** Most readings of a customer in a row. More than two need changes at the processor between them. */
const MOST_READINGS = 5;

const DELETED = 'the customer was deleted at the payment processor';

/**
 * Stops the keys of customers who do not pay, and lets them work again when they do. It asks the processor what is so now, whatever a webhook
 * says, so that webhooks may come twice, late and in any order (docs/decisions/0140).
 */
export class LifeCycle {
  readonly #options;
  #reconciledMs: number | null = null;

  constructor(options: {
    readonly stripe: Pick<Stripe, 'customers' | 'subscriptions' | 'invoices'>;
    readonly store: Pick<KeyStore, 'customers' | 'updateCustomer' | 'list'>;
    readonly price: string;
    readonly logger: Pick<Logger, 'info' | 'warn'>;
  }) {
    this.#options = options;
  }

  /** When all subscriptions were compared last, in milliseconds since 1970; null: not yet. */
  get reconciledMs(): number | null {
    return this.#reconciledMs;
  }

  /** Does what the processor says of a customer now. @throws Error when it does not answer. */
  async customerChanged(customer: string): Promise<void> {
    await this.#followNow(customer, () => this.#hasKeys(customer));
  }

  /** Compares all subscriptions to the price with the customers here, for webhooks that never came. @throws Error when the processor does not answer. */
  async reconcile(): Promise<void> {
    const byCustomer = await this.#allSubscriptions();
    const known = new Map((await this.#options.store.customers()).map((record) => [record.customer, record]));
    for (const [customer, subscriptions] of byCustomer) {
      const fault = await this.#faultOf(subscriptions);
      // To read all took a while, in which a webhook may have brought something newer: the customer is read again.
      if (fault !== undefined && changeFor(known.get(customer) ?? null, customer, fault))
        await this.#followNow(customer, () => Promise.resolve(true));
    }
    this.#reconciledMs = Date.now();
  }

  /**
   * Reads and follows until there is nothing to change. Another process may read and follow something newer between the two, so a change is right only
   * when a later reading says the same.
   * @param isOurs is asked of a customer who was deleted: the processor tells of all customers of the account.
   */
  async #followNow(customer: string, isOurs: () => Promise<boolean>): Promise<void> {
    for (let i = 0; i < MOST_READINGS; i++) {
      const fault = await this.#faultNow(customer);
      if (fault === undefined || (fault === DELETED && !(await isOurs()))) return;
      if (!(await this.#follow(customer, fault))) return;
    }
    throw new Error(`the payment processor said something else of ${customer} at each of ${MOST_READINGS} readings`);
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

  async #faultNow(customer: string): Promise<string | null | undefined> {
    if (await this.#isDeleted(customer)) return DELETED;
    const { stripe, price } = this.#options;
    const { data } = await stripe.subscriptions.list({ customer, price, status: 'all', limit: PAGE });
    return await this.#faultOf(data);
  }

  async #faultOf(subscriptions: readonly Stripe.Subscription[]): Promise<string | null | undefined> {
    const openSinceMs = new Map<string, number>();
    for (const { id } of subscriptions.filter(needsOpenBills)) {
      const sinceMs = await this.#oldestOpenBill(id);
      if (sinceMs !== null) openSinceMs.set(id, sinceMs);
    }
    return faultOf(subscriptions, openSinceMs, Date.now());
  }

  async #oldestOpenBill(subscription: string): Promise<number | null> {
    const { data } = await this.#options.stripe.invoices.list({ subscription, status: 'open', limit: PAGE });
    return data.length === 0 ? null : Math.min(...data.map(({ created }) => created * 1000));
  }

  /** @returns whether something changed. */
  async #follow(customer: string, fault: string | null): Promise<boolean> {
    const { store, logger } = this.#options;
    const changed = await followPayment(store, customer, fault);
    if (!changed) return false;
    if (changed.suspendedAt !== null)
      logger.warn('customer suspended: its lookups get 402', { customer, reason: fault });
    else logger.info('customer pays again', { customer });
    return true;
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

/**
 * Time that a customer has after a bill that could not be collected. The processor tries again for two weeks by itself, so nobody is refused
 * because of a card that was replaced (docs/decisions/0140).
 */
const GRACE_MS = 14 * DAY_MS;

type Subscription = Pick<Stripe.Subscription, 'id' | 'status'>;

/** Says whether more must be known of a subscription: since when its oldest bill is open. */
function needsOpenBills({ status }: Subscription): boolean {
  return status === 'past_due';
}

/**
 * Says why the keys of a customer are refused, from all subscriptions of the customer to our price; null: they are not. One subscription in force
 * is enough. Without any there is nothing to say, which is undefined.
 * @param openSinceMs when the oldest open bill of a subscription was made, for those of `needsOpenBills`; missing: it has none.
 */
function faultOf(
  subscriptions: readonly Subscription[],
  openSinceMs: ReadonlyMap<string, number>,
  nowMs: number,
): string | null | undefined {
  const faults = subscriptions.map((subscription) => faultOfOne(subscription, openSinceMs.get(subscription.id), nowMs));
  if (faults.includes(null)) return null;
  return faults[0];
}

function faultOfOne({ status }: Subscription, openSinceMs: number | undefined, nowMs: number): string | null {
  if (status === 'active' || status === 'trialing') return null;
  if (status !== 'past_due') return `the subscription is ${status}`;
  const isWithinGrace = openSinceMs === undefined || nowMs - openSinceMs <= GRACE_MS;
  return isWithinGrace ? null : `a bill of the subscription is open for more than ${GRACE_MS / DAY_MS} days`;
}
