/**
 * EPSG:3161, NAD83 / Ontario MNR Lambert: a Lambert conformal conic projection on GRS 80 with two standard parallels.
 * Formulas 14-15, 15-9, 15-8, 15-10, 15-7, 14-1, 14-2, 14-4 and 15-4 of Snyder, Map Projections: A Working Manual (USGS
 * PP 1395). Calculated here, because PROJ would cost a lookup as much as reading its row. A test compares it with PROJ.
 */
import type { Coordinate } from '../../src/messages/lookup.ts';

/** A point in EPSG:3161, in metres. */
export interface ProjectedPoint {
  readonly x: number;
  readonly y: number;
  /**
   * Projection metres per metre on the ground: 0.996 to 1.007 over Ontario. The projection is conformal, so it is the same in
   * every direction, and a planar distance divided by it is a distance on the ground.
   */
  readonly scale: number;
}

/** Projects degrees of NAD83 or WGS 84, which count as equal (they differ by 1 to 2 m in Ontario). */
export function project({ lat: latDegrees, lon: lonDegrees }: Coordinate): ProjectedPoint {
  const lat = radians(latDegrees);
  const rho = SEMI_MAJOR_M * F * t(lat) ** CONE;
  const theta = CONE * radians(lonDegrees - CENTRAL_MERIDIAN);
  return {
    x: FALSE_EASTING_M + rho * Math.sin(theta),
    y: FALSE_NORTHING_M + RHO_0 - rho * Math.cos(theta),
    scale: (rho * CONE) / (SEMI_MAJOR_M * m(lat)),
  };
}

/** Returns the place of projection metres (Snyder's formulas 14-10, 14-11, 14-9, and 7-9 repeated until nothing changes). */
export function fromLambert(
  x: number,
  y: number,
): {
  readonly lat: number;
  readonly lon: number;
  /** As in `ProjectedPoint`. */
  readonly scale: number;
} {
  const [east, north] = [x - FALSE_EASTING_M, FALSE_NORTHING_M + RHO_0 - y];
  const rho = Math.hypot(east, north);
  const reduced = (rho / (SEMI_MAJOR_M * F)) ** (1 / CONE);
  let lat = Math.PI / 2 - 2 * Math.atan(reduced);
  // Each step leaves a hundredth of the error.
  for (let i = 0; i < 6; i++) {
    const eSin = E * Math.sin(lat);
    lat = Math.PI / 2 - 2 * Math.atan(reduced * ((1 - eSin) / (1 + eSin)) ** (E / 2));
  }
  const lon = CENTRAL_MERIDIAN + (Math.atan2(east, north) * 180) / (Math.PI * CONE);
  return { lat: (lat * 180) / Math.PI, lon, scale: (rho * CONE) / (SEMI_MAJOR_M * m(lat)) };
}

// Parameters of EPSG:3161.
const SEMI_MAJOR_M = 6_378_137;
const FLATTENING = 1 / 298.257222101;
const LAT_0 = radians(0);
const LAT_1 = radians(44.5);
const LAT_2 = radians(53.5);
const CENTRAL_MERIDIAN = -85;
const FALSE_EASTING_M = 930_000;
const FALSE_NORTHING_M = 6_430_000;

const E2 = FLATTENING * (2 - FLATTENING);
const E = Math.sqrt(E2);
const CONE = (Math.log(m(LAT_1)) - Math.log(m(LAT_2))) / (Math.log(t(LAT_1)) - Math.log(t(LAT_2)));
const F = m(LAT_1) / (CONE * t(LAT_1) ** CONE);
const RHO_0 = SEMI_MAJOR_M * F * t(LAT_0) ** CONE;

function m(lat: number): number {
  return Math.cos(lat) / Math.sqrt(1 - E2 * Math.sin(lat) ** 2);
}

function t(lat: number): number {
  const eSin = E * Math.sin(lat);
  return Math.tan(Math.PI / 4 - lat / 2) / ((1 - eSin) / (1 + eSin)) ** (E / 2);
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
