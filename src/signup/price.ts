import type Stripe from 'stripe';
import type { Logger } from 'winston';
import { oncePerMinute } from '../accounts/once-per-minute.ts';
import { DAY_MS, HOUR_MS } from '../shared/time.ts';

/** What a lookup costs, as the processor has it. */
export interface LookupPrice {
  /** ISO 4217, in capitals. */
  readonly currency: string;
  /** Of one lookup, in the currency's smallest unit, as a decimal; null: it depends on the number of lookups. */
  readonly amount: string | null;
  /** When it is billed. */
  readonly interval: string;
  readonly intervals: number;
}

export interface PriceOptions {
  readonly stripe: Pick<Stripe, 'prices'>;
  readonly price: string;
  readonly isLive: boolean;
  readonly logger: Pick<Logger, 'error'>;
}

/** A price is asked for again after this time. */
const FRESH_MS = HOUR_MS / 6;

/** A price is shown for as long as this while the processor does not answer. */
const KEPT_MS = DAY_MS;

/** After a failure the processor is left alone for this time, however many visitors there are. */
const REST_MS = 10_000;

/** Reads the price from the processor, which is asked at most once for many visitors. */
export class PriceReader {
  readonly #options: PriceOptions;
  readonly #report: (cause: Error) => void;
  #known: { readonly price: LookupPrice; readonly atMs: number } | null = null;
  #askedMs = -Infinity;
  #asking: Promise<LookupPrice> | null = null;

  constructor(options: PriceOptions) {
    this.#options = options;
    this.#report = oncePerMinute((cause) => {
      options.logger.error('the price of sign-ups cannot be read', { detail: cause.message });
    });
  }

  /** Returns the price; null while it cannot be read. Never fails. */
  async read(): Promise<LookupPrice | null> {
    const nowMs = performance.now();
    if (this.#known && nowMs - this.#known.atMs < FRESH_MS) return this.#known.price;
    if (this.#asking === null && nowMs - this.#askedMs >= REST_MS) {
      this.#askedMs = nowMs;
      this.#asking = this.#ask().finally(() => (this.#asking = null));
    }
    try {
      if (this.#asking) return await this.#asking;
    } catch (cause) {
      this.#report(cause instanceof Error ? cause : new Error(String(cause)));
    }
    return this.#known && nowMs - this.#known.atMs < KEPT_MS ? this.#known.price : null;
  }

  async #ask(): Promise<LookupPrice> {
    const { stripe, price: id, isLive } = this.#options;
    const price = await stripe.prices.retrieve(id);
    const fault = faultOf(price, isLive);
    if (fault !== null) {
      this.#known = null;
      throw new Error(`STRIPE_PRICE ${id} ${fault}`);
    }
    const { interval, interval_count: intervals } = price.recurring!;
    const isFlat = price.billing_scheme === 'per_unit' && !price.transform_quantity;
    const amount = isFlat ? (price.unit_amount_decimal?.toString() ?? null) : null;
    const shown = { currency: price.currency.toUpperCase(), amount, interval, intervals };
    this.#known = { price: shown, atMs: performance.now() };
    return shown;
  }
}

function faultOf({ active, livemode, recurring }: Stripe.Price, isLive: boolean): string | null {
  if (livemode !== isLive)
    return livemode ? 'is live, but STRIPE_API_KEY is for tests' : 'is for tests, but STRIPE_API_KEY is live';
  if (!active) return 'is not active at the payment processor';
  return recurring?.usage_type === 'metered' ? null : 'is not a recurring price by usage (metered)';
}
