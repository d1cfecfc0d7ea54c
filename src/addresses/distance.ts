import type { Coordinate } from '../messages/lookup.ts';

const METRES_PER_DEGREE = 111_195;

/**
 * Returns metres between two points that are near each other. The calculation is planar: exact to 1 % over 50 km at
 * Ontario's latitudes.
 */
export function distanceM(a: Coordinate, b: Coordinate): number {
  const north = (a.lat - b.lat) * METRES_PER_DEGREE;
  const east = (a.lon - b.lon) * METRES_PER_DEGREE * Math.cos((((a.lat + b.lat) / 2) * Math.PI) / 180);
  return Math.hypot(north, east);
}

/** Scores that differ by less do not decide between two places. */
export const TIE = 0.015;

/** Points that are nearer to each other are one place. */
export const SAME_PLACE_M = 100;

/** One canonical address may have points this far apart (a campus, a farm); farther apart they are two places. */
export const SAME_ADDRESS_M = 500;

/**
 * Returns the best of some places (at least one), and its rivals: places elsewhere that fit the words as well. With
 * rivals there is no answer.
 * @param addressOf canonical address of a place; called only for places near the best one.
 */
export function choose<
  T extends {
    readonly score: number;
    /** Score without what the reading of the words cost, which does not decide between places. */
    readonly fit: number;
    readonly point: Coordinate;
  },
>(places: readonly T[], addressOf: (place: T) => string): { readonly best: T; readonly rivals: readonly T[] } {
  if (places.length === 1) return { best: places[0]!, rivals: [] };
  const most = Math.max(...places.map(({ fit }) => fit));
  const fitting = places.filter(({ fit }) => fit > most - TIE);
  const best = fitting.reduce((a, b) => (b.score > a.score ? b : a));
  const isSame = (other: T): boolean => {
    const apartM = distanceM(best.point, other.point);
    return apartM <= SAME_PLACE_M || (apartM <= SAME_ADDRESS_M && addressOf(best) === addressOf(other));
  };
  return { best, rivals: fitting.filter((other) => !isSame(other)) };
}
