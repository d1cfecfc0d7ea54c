import { distanceM } from '../../../src/addresses/distance.ts';
import type { Coordinate } from '../../../src/messages/lookup.ts';
import type { CivicPointWithUnits } from './civic-points.ts';

/**
 * Distance from both neighbours, and from every other address of the postal code, above which a point contradicts them.
 */
const FAR_M = 1000;

/** Distance between neighbours below which a point between them cannot be far from both. */
const NEAR_M = 500;

/**
 * Marks points that their own register contradicts: the neighbours by number are near each other, the point is far
 * away, and no address of its postal code is near it. The register's position of such a number is usually wrong. The
 * point is marked, never moved.
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

/** Finds the nearest point of another number, upwards or downwards. */
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
