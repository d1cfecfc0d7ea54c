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
