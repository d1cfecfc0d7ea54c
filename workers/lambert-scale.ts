/**
 * Scale factor of EPSG:3161, a Lambert conformal conic projection with standard parallels 44.5° N and 53.5° N on GRS 80.
 * Conformal: the same in every direction, so a planar distance divided by it is a distance on the ground.
 * Formulas 14-15, 15-9, 15-8, 15-7 and 15-4 of Snyder, Map Projections: A Working Manual (USGS PP 1395).
 */
export function lambertScale(latDegrees: number): number {
  const lat = radians(latDegrees);
  return (m(LAT_1) * (t(lat) / t(LAT_1)) ** CONE) / m(lat);
}

const FLATTENING = 1 / 298.257222101;
const E2 = FLATTENING * (2 - FLATTENING);
const E = Math.sqrt(E2);
const LAT_1 = radians(44.5);
const LAT_2 = radians(53.5);
const CONE = (Math.log(m(LAT_1)) - Math.log(m(LAT_2))) / (Math.log(t(LAT_1)) - Math.log(t(LAT_2)));

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
