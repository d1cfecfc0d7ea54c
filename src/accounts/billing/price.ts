import type Stripe from 'stripe';
import { before } from '../../pool/before.ts';

/** What one lookup costs. */
export interface UnitPrice {
  /** In the processor's smallest unit of the currency, such as cents; a decimal number as text. */
  readonly perLookup: string;
  /** ISO 4217, in capitals. */
  readonly currency: string;
}

/** Someone waits for the account. */
const DEADLINE_MS = 3000;

/** After a failure the processor is asked again only after this time. */
const AGAIN_MS = 30_000;

/** Currencies without a smaller unit, and those with three decimals (docs.stripe.com/currencies); all others have two. */
const DECIMALS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF UGX VND VUV XAF XOF XPF'.split(' ').map((currency) => [currency, 0]),
  ),
  ...Object.fromEntries('BHD JOD KWD OMR TND'.split(' ').map((currency) => [currency, 3])),
};

/** Reads the price of a lookup from the processor, once: the amount of a price never changes there. */
export class PriceReader {
  readonly #stripe: Pick<Stripe, 'prices'>;
  readonly #id: string;
  #known: Promise<UnitPrice | null> | null = null;
  #triedMs = -Infinity;

  constructor(stripe: Pick<Stripe, 'prices'>, id: string) {
    this.#stripe = stripe;
    this.#id = id;
  }

  /** Null: the processor did not answer in time, or the price is not one amount per lookup. Never fails. */
  async read(): Promise<UnitPrice | null> {
    if (!this.#known && performance.now() - this.#triedMs < AGAIN_MS) return null;
    this.#known ??= this.#ask();
    const known = this.#known;
    try {
      return await before(known, DEADLINE_MS, () => new Error('no answer in time'));
    } catch {
      if (this.#known === known) this.#known = null;
      return null;
    }
  }

  async #ask(): Promise<UnitPrice | null> {
    this.#triedMs = performance.now();
    const price = await this.#stripe.prices.retrieve(this.#id);
    const perLookup = price.unit_amount_decimal ?? price.unit_amount;
    const isPlain = price.billing_scheme === 'per_unit' && price.transform_quantity === null;
    if (!isPlain || perLookup === null) return null;
    return { perLookup: String(perLookup), currency: price.currency.toUpperCase() };
  }
}

/** Returns what lookups cost, in whole units of the currency, rounded to its decimals, half away from zero. */
export function costOf({ perLookup, currency }: UnitPrice, lookups: number): number {
  const [whole = '0', fraction = ''] = perLookup.split('.');
  const scale = 10n ** BigInt(fraction.length);
  const smallest = (BigInt(whole + fraction) * BigInt(lookups) * 2n + scale) / (2n * scale);
  return Number(smallest) / 10 ** decimalsOf(currency);
}

/** Returns the price of one lookup in whole units of the currency. */
export function unitCostOf({ perLookup, currency }: UnitPrice): number {
  return Number((Number(perLookup) / 10 ** decimalsOf(currency)).toPrecision(12));
}

function decimalsOf(currency: string): number {
  return DECIMALS[currency] ?? 2;
}
