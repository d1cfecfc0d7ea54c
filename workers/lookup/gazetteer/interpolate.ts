import { distanceM } from '../../../src/shared/addresses/distance.ts';
import type { Coordinate } from '../../../src/shared/contract/lookup.ts';
import type { CivicPoint } from './civic-block.ts';
import type { Street } from './street-record.ts';

/** Neighbours farther apart than this, in metres or in numbers, say nothing about what is between them. */
const LONGEST_SPAN_M = 500;
const WIDEST_GAP = 100;

/** Share of the span that holds 90 % of the errors (reference: leave-one-out on the national register). */
const UNCERTAIN_SHARE = 0.5;

/** No interpolated point is better than a register point. */
const LEAST_UNCERTAINTY_M = 30;

export interface Interpolated extends Coordinate {
  readonly uncertaintyM: number;
  readonly between: readonly [number, number];
  /** The neighbours' postal code, where both have the same. */
  readonly postalCode: string | null;
  /** Whether a postal area is that of a neighbour, as far as they have any. */
  fits(postalCode: string | null): boolean;
}

/**
 * The place of a civic number that the register does not have, between its two known neighbours on the same side of the street. Null
 * beyond the end of the known numbers, and where the neighbours are too far apart.
 */
export function interpolate(street: Street, civic: number): Interpolated | null {
  const before = neighbour(street.below(civic), civic);
  const after = neighbour(street.from(civic), civic);
  if (!before || !after || after.civic - before.civic > WIDEST_GAP) return null;
  const spanM = distanceM(before, after);
  if (spanM > LONGEST_SPAN_M) return null;
  const share = (civic - before.civic) / (after.civic - before.civic);
  return {
    lat: rounded(before.lat + (after.lat - before.lat) * share),
    lon: rounded(before.lon + (after.lon - before.lon) * share),
    uncertaintyM: Math.max(LEAST_UNCERTAINTY_M, Math.round(spanM * UNCERTAIN_SHARE)),
    between: [before.civic, after.civic],
    postalCode: before.postalCode === after.postalCode ? before.postalCode : null,
    fits: (postalCode) => {
      const areas = [before, after].flatMap((point) => point.postalCode?.slice(0, 3) ?? []);
      return postalCode === null || areas.length === 0 || areas.includes(postalCode.slice(0, 3));
    },
  };
}

/** The nearest known number on one hand that is on the same side and stands for a building. */
function neighbour(points: Iterable<CivicPoint>, civic: number): CivicPoint | null {
  for (const point of points) {
    if (Math.abs(point.civic - civic) > WIDEST_GAP) return null;
    if ((point.civic - civic) % 2 === 0 && !point.blockface && !point.outlier) return point;
  }
  return null;
}

function rounded(degrees: number): number {
  return Math.round(degrees * 1_000_000) / 1_000_000;
}
