import type { Coordinate } from '../../../src/messages/lookup.ts';

/** The register and the grid count in millionths of a degree, so that both have the same point. */
export const DEGREE = 1_000_000;

/**
 * Size of a square: about 280 m each way in southern Ontario. A square of a dense town has a few hundred points, and a
 * search within 100 m reads four squares at most there.
 */
const HEIGHT = 2500;
const WIDTH = 3500;

/** South-western corner of the grid, and its size in squares: the register's province with a margin. */
const SOUTH = 41_500_000;
const WEST = -95_500_000;
const COLUMNS = 8192;
const ROWS = 6400;

/** A square of the grid with its row id, and its south-western corner. */
export interface Square {
  readonly id: number;
  readonly south: number;
  readonly west: number;
}

/** Returns the square of a civic point as the register's tables round it; null outside the grid. */
export function nearSquareOf({ lat, lon }: Coordinate): Square | null {
  return squareAt(Math.round(lat * DEGREE), Math.round(lon * DEGREE));
}

/** In millionths of a degree. */
function squareAt(lat: number, lon: number): Square | null {
  return squareIn(Math.floor((lat - SOUTH) / HEIGHT), Math.floor((lon - WEST) / WIDTH));
}

function squareIn(row: number, column: number): Square | null {
  if (!(row >= 0 && row < ROWS && column >= 0 && column < COLUMNS)) return null;
  return { id: row * COLUMNS + column + 1, south: SOUTH + row * HEIGHT, west: WEST + column * WIDTH };
}

/** A place that is searched around, in millionths of a degree, with metres on the ground per millionth. */
export interface SearchedPlace {
  readonly lat: number;
  readonly lon: number;
  readonly metresPerLat: number;
  readonly metresPerLon: number;
}

// GRS 80, which NAD83 and WGS 84 have in common.
const SEMI_MAJOR_M = 6_378_137;
const E2 = 0.00669438;

/**
 * Measures with the radii of curvature of the ellipsoid (Snyder, Map Projections: A Working Manual, 4-18 and 4-20). Over
 * 100 m this plane differs from the geodesic by some millimetres; a sphere would differ by 0.3 %.
 */
export function searchedPlace({ lat, lon }: Coordinate): SearchedPlace {
  const radians = Math.PI / 180;
  const sin = Math.sin(lat * radians);
  const w = 1 - E2 * sin * sin;
  return {
    lat: lat * DEGREE,
    lon: lon * DEGREE,
    metresPerLat: (((SEMI_MAJOR_M * (1 - E2)) / w ** 1.5) * radians) / DEGREE,
    metresPerLon: ((SEMI_MAJOR_M / Math.sqrt(w)) * Math.cos(lat * radians) * radians) / DEGREE,
  };
}

/**
 * Yields the squares that come within a distance of a place, first the one that holds it. Outside the grid there are none.
 * @param reachM returns the distance in metres. It is asked for each square, because a search within it becomes shorter.
 */
export function* squaresAround(place: SearchedPlace, reachM: () => number): Generator<Square> {
  const own = squareAt(place.lat, place.lon);
  if (!own) return;
  yield own;
  const reachLat = reachM() / place.metresPerLat;
  const reachLon = reachM() / place.metresPerLon;
  const lastRow = Math.floor((place.lat + reachLat - SOUTH) / HEIGHT);
  const lastColumn = Math.floor((place.lon + reachLon - WEST) / WIDTH);
  for (let row = Math.floor((place.lat - reachLat - SOUTH) / HEIGHT); row <= lastRow; row++) {
    for (let column = Math.floor((place.lon - reachLon - WEST) / WIDTH); column <= lastColumn; column++) {
      const square = squareIn(row, column);
      if (square && square.id !== own.id && distanceToSquareM(place, square) <= reachM()) yield square;
    }
  }
}

function distanceToSquareM({ lat, lon, metresPerLat, metresPerLon }: SearchedPlace, { south, west }: Square): number {
  const north = Math.max(south - lat, lat - south - HEIGHT, 0) * metresPerLat;
  const east = Math.max(west - lon, lon - west - WIDTH, 0) * metresPerLon;
  return Math.hypot(north, east);
}
