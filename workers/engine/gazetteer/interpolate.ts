import { distanceM } from '../../../src/addresses/distance.ts';
import type { Coordinate } from '../../../src/messages/lookup.ts';
import type { CivicPoint } from './civic-block.ts';
import type { Street } from './street-record.ts';

/**
 * Largest distance between neighbours, in metres and in numbers; if they are farther apart, nothing follows for the
 * numbers between.
 */
const LONGEST_SPAN_M = 500;
const WIDEST_GAP = 100;

/** Farther apart than this, numbers that differ by at most `WIDEST_GAP` are of two streets. */
const OTHER_STREET_M = 2000;

/**
 * Share of the span that holds 90 % of the errors (measured by leaving out each point of the national register in
 * turn).
 */
const UNCERTAIN_SHARE = 0.5;

/** Least uncertainty: an interpolated point is never better than a register point. */
const LEAST_UNCERTAINTY_M = 30;

export interface Interpolated extends Coordinate {
  readonly uncertaintyM: number;
  readonly between: readonly [number, number];
  /** The neighbours' postal code, if both have the same. */
  readonly postalCode: string | null;
  /** Says whether a postal area is that of a neighbour, if the neighbours have one. */
  fits(postalCode: string | null): boolean;
}

/**
 * Places a civic number that the register does not have between its two known neighbours on the same side of the
 * street. Null beyond the end of the known numbers, and when the neighbours are too far apart.
 */
export function interpolate(street: Street, civic: number): Interpolated | null {
  const before = neighbour(street.below(civic), civic);
  const after = neighbour(street.from(civic), civic);
  if (!before || !after || after.civic - before.civic > WIDEST_GAP) return null;
  const spanM = distanceM(before, after);
  if (spanM > LONGEST_SPAN_M) return null;
  const share = (civic - before.civic) / (after.civic - before.civic);
  const isTwice = [street.below(civic), street.from(civic)].some((points) => leavesStreet(points, civic, before));
  if (isTwice) return null;
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

/**
 * Says whether near numbers lie so far away that the register has two streets of one name in one municipality, as many
 * cities do that were several towns. The number may then be missing on either.
 */
function leavesStreet(points: Iterable<CivicPoint>, civic: number, at: CivicPoint): boolean {
  for (const point of points) {
    if (Math.abs(point.civic - civic) > WIDEST_GAP) return false;
    if (!point.outlier && distanceM(point, at) > OTHER_STREET_M) return true;
  }
  return false;
}

/** Finds the nearest known number in one direction that is on the same side and is a building. */
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
