import type Stripe from 'stripe';
import type { Logger } from 'winston';
import { before } from '../pool/before.ts';
import { DAY_MS, HOUR_MS } from '../../messages/time.ts';
import { oncePerMinute } from '../loop/loop.ts';

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

/** A price that is the same for each lookup. */
type FlatPrice = Pick<LookupPrice, 'currency'> & { readonly amount: string };

/** A price is asked for again after this time. */
const FRESH_MS = HOUR_MS / 6;

/** A price is shown for as long as this while the processor does not answer. */
const KEPT_MS = DAY_MS;

/** After a failure the processor is left alone for this time, however many visitors there are. */
const REST_MS = 10_000;

/** Someone waits for the page. */
const DEADLINE_MS = 3000;

/** Currencies without a smaller unit, and those with three decimals (docs.stripe.com/currencies); all others have two. */
const DECIMALS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF UGX VND VUV XAF XOF XPF'.split(' ').map((currency) => [currency, 0]),
  ),
  ...Object.fromEntries('BHD JOD KWD OMR TND'.split(' ').map((currency) => [currency, 3])),
};

/** Reads the price from the processor, which is asked at most once for many visitors. */
export class PriceReader {
  readonly #options: ConstructorParameters<typeof PriceReader>[0];
  readonly #report: (cause: Error) => void;
  #known: { readonly price: LookupPrice; readonly atMs: number } | null = null;
  #askedMs = -Infinity;
  #asking: Promise<LookupPrice> | null = null;

  constructor(options: {
    readonly stripe: Pick<Stripe, 'prices'>;
    readonly price: string;
    readonly isLive: boolean;
    readonly logger: Pick<Logger, 'error'>;
  }) {
    this.#options = options;
    this.#report = oncePerMinute((cause) => {
      options.logger.error('the price of sign-ups cannot be read', { detail: cause.message });
    });
  }

  /** Returns the price that was read last, for a page that waits for nobody, and reads it anew in the background. Null: none is known. */
  get known(): LookupPrice | null {
    void this.read();
    return this.#kept;
  }

  get #kept(): LookupPrice | null {
    return this.#known && performance.now() - this.#known.atMs < KEPT_MS ? this.#known.price : null;
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
      if (this.#asking) return await before(this.#asking, DEADLINE_MS, () => new Error('no answer in time'));
    } catch (cause) {
      this.#report(cause instanceof Error ? cause : new Error(String(cause)));
    }
    return this.#kept;
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

/** Null: what a lookup costs depends on their number, or is not known. */
export function flatPrice(price: LookupPrice | null): FlatPrice | null {
  const amount = price?.amount ?? null;
  return price && amount !== null ? { currency: price.currency, amount } : null;
}

/** Returns what lookups cost, in whole units of the currency, rounded to its decimals, half away from zero. */
export function costOf({ amount, currency }: FlatPrice, lookups: number): number {
  const [whole = '0', fraction = ''] = amount.split('.');
  const scale = 10n ** BigInt(fraction.length);
  const smallest = (BigInt(whole + fraction) * BigInt(lookups) * 2n + scale) / (2n * scale);
  return Number(smallest) / 10 ** decimalsOf(currency);
}

/** Returns the price of one lookup in whole units of the currency. */
export function unitCostOf({ amount, currency }: FlatPrice): number {
  return Number((Number(amount) / 10 ** decimalsOf(currency)).toPrecision(12));
}

/** Returns an amount as a language of Canada writes it, with as many decimals as a small price needs. */
export function priceIn(
  language: string,
  { amount, currency }: { readonly amount: number; readonly currency: string },
): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 6 };
  return new Intl.NumberFormat(`${language}-CA`, { style: 'currency', currency, ...digits }).format(amount);
}

function decimalsOf(currency: string): number {
  return DECIMALS[currency] ?? 2;
}
