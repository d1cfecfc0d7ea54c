import type { AreaValue } from '../../src/messages/wire/area-lookup.ts'; /** Shares of an area, with four decimals. */
const DECIMALS = 4;
const UNITS = 10 ** DECIMALS;

/**
 * Returns the shares of amounts in a total. All of them, the unknown rest included, sum to 1: what rounding down leaves goes to those that it
 * cut most.
 */
export function sharesOf(
  amounts: readonly number[],
  total: number,
): {
  /** In the order of the amounts. */
  readonly of: readonly number[];
  /** What remains: where the answer is not known. */
  readonly unknown: number;
} {
  let sum = 0;
  let largest = 0;
  for (const amount of amounts) {
    sum += Math.max(0, amount);
    largest = Math.max(largest, amount);
  }
  const whole = Math.max(total, sum);
  // Most often one amount is all there is: the others then have less than half a unit together, and the rounding gives each of them nothing.
  const almostAll = whole * (1 - 0.5 / UNITS);
  if (largest > almostAll) return { of: amounts.map((amount) => (amount === largest ? 1 : 0)), unknown: 0 };
  if (whole - sum > almostAll) return { of: amounts.map(() => 0), unknown: 1 };
  return roundedShares(amounts, whole, sum);
}

function roundedShares(amounts: readonly number[], whole: number, sum: number): ReturnType<typeof sharesOf> {
  const exact = amounts.map((amount) => Math.max(0, amount));
  exact.push(whole - sum);
  const rounded: number[] = [];
  let left = UNITS;
  for (let i = 0; i < exact.length; i++) {
    exact[i] = (exact[i]! / whole) * UNITS;
    left -= rounded[i] = Math.floor(exact[i]!);
  }
  for (; left > 0; left--) {
    const place = mostCut(exact, rounded);
    rounded[place]!++;
    // Each gets one at most.
    exact[place] = 0;
  }
  const shares = rounded.map((units) => units / UNITS);
  return { of: shares.slice(0, -1), unknown: shares.at(-1)! };
}

/** The place of the amount of which rounding down left most. */
function mostCut(exact: readonly number[], rounded: readonly number[]): number {
  let most = 0;
  for (let i = 1; i < exact.length; i++) if (exact[i]! - rounded[i]! > exact[most]! - rounded[most]!) most = i;
  return most;
}

const texts = new WeakMap<object, string>();

/** Keeps the JSON of a value that most areas have for some layer, so that it is made and written once. */
export function usualValue(value: NonNullable<AreaValue>): AreaValue {
  texts.set(value, JSON.stringify(value));
  return Object.freeze(value);
}

/** Returns the JSON of every layer's value. */
export function layersJson(layers: Readonly<Record<string, AreaValue>>): string {
  let json = '{';
  // Keys need no escapes (layers/schema).
  for (const key in layers) json += `${json === '{' ? '' : ','}"${key}":${valueJson(layers[key] ?? null)}`;
  return `${json}}`;
}

function valueJson(value: AreaValue): string {
  return (value === null ? undefined : texts.get(value)) ?? JSON.stringify(value);
}
