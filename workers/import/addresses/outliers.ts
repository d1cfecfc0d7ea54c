import { distanceM } from '../../../src/shared/addresses/distance.ts';
import type { Coordinate } from '../../../src/shared/contract/lookup.ts';
import type { CivicPointWithUnits } from './civic-points.ts';

/** A point this far from both its neighbours, and from every other address of its postal code, contradicts them. */
const FAR_M = 1000;

/** Neighbours this near each other leave no room for a point in between that is far from both. */
const NEAR_M = 500;

/**
 * Marks points that their own register contradicts: the neighbours by number stand together, the point stands far away, and no address of
 * its postal code is near it. The register's position of such a number is wrong more often than not; it is marked, never moved.
 * @param points of one street in the order of their numbers.
 * @param positionsOf positions of the addresses with a postal code.
 */
export function markOutliers(
  points: readonly CivicPointWithUnits[],
  positionsOf: (postalCode: string) => readonly Coordinate[],
): CivicPointWithUnits[] {
  return points.map((point, i) => {
    const before = neighbour(points, i, -1);
    const after = neighbour(points, i, 1);
    const outlier = before && after && contradicts(point, before, after) && isAlone(point, positionsOf);
    return outlier ? { ...point, outlier } : point;
  });
}

/** The nearest point of another number, upwards or downwards. */
function neighbour(points: readonly CivicPointWithUnits[], from: number, step: 1 | -1): CivicPointWithUnits | null {
  const { civic } = points[from]!;
  for (let i = from + step; i >= 0 && i < points.length; i += step) if (points[i]!.civic !== civic) return points[i]!;
  return null;
}

function contradicts(point: Coordinate, before: Coordinate, after: Coordinate): boolean {
  return distanceM(before, after) < NEAR_M && distanceM(point, before) > FAR_M && distanceM(point, after) > FAR_M;
}

function isAlone(point: CivicPointWithUnits, positionsOf: (postalCode: string) => readonly Coordinate[]): boolean {
  const others = point.postalCode === null ? [] : positionsOf(point.postalCode);
  return !others.some((other) => distanceM(other, point) <= FAR_M && distanceM(other, point) > 1);
}
