/** The answer's geometry, ready to draw. */

/**
 * @typedef {[number, number]} Position
 * @typedef {{ lat: number, lon: number }} Place
 * @typedef {NonNullable<import('../src/shared/wire/full-lookup.ts').FullLookupBody['geometry']>} NearGeometry
 * @typedef {NearGeometry['features'][number]} NearFeature
 */

const METRES_PER_DEGREE = 111_320;
/** A part of an outline whose ends both lie this close to the clip circle is the cut, not an edge. */
const CUT_TOLERANCE = 0.006;

/**
 * A ring around the place.
 * @param {Place} place
 * @param {number} radiusM
 * @returns {Position[]}
 */
export function circle({ lat, lon }, radiusM) {
  const east = radiusM / (METRES_PER_DEGREE * Math.cos((lat * Math.PI) / 180));
  const north = radiusM / METRES_PER_DEGREE;
  return Array.from({ length: 97 }, (_, i) => {
    const turn = (i / 96) * 2 * Math.PI;
    return [lon + east * Math.cos(turn), lat + north * Math.sin(turn)];
  });
}

/**
 * The true edges of a feature: outlines without the cut that clipping made.
 * @param {NearFeature} feature
 * @param {Place} place
 * @param {number} radiusM
 * @returns {Position[][]}
 */
export function edgesOf(feature, place, radiusM) {
  const isCut = (/** @type {Position} */ position) =>
    Math.abs(distanceM(place, position) - radiusM) < radiusM * CUT_TOLERANCE;
  return linesOf(feature.geometry).flatMap((line) => splitAtCuts(line, isCut));
}

/**
 * @param {NearFeature['geometry']} geometry
 * @returns {Position[][]}
 */
function linesOf(geometry) {
  const coordinates = /** @type {any} */ (geometry.coordinates);
  switch (geometry.type) {
    case 'LineString':
      return [coordinates];
    case 'MultiLineString':
    case 'Polygon':
      return coordinates;
    case 'MultiPolygon':
      return coordinates.flat();
    default:
      return [];
  }
}

/**
 * @param {Position[]} line
 * @param {(position: Position) => boolean} isCut
 * @returns {Position[][]}
 */
function splitAtCuts(line, isCut) {
  /** @type {Position[][]} */
  const pieces = [];
  /** @type {Position[]} */
  let piece = [];
  line.forEach((position, i) => {
    const previous = line[i - 1];
    if (previous && isCut(previous) && isCut(position)) {
      if (piece.length > 1) pieces.push(piece);
      piece = [position];
    } else {
      piece.push(position);
    }
  });
  if (piece.length > 1) pieces.push(piece);
  return pieces;
}

/**
 * @param {Place} place
 * @param {Position} position
 */
function distanceM({ lat, lon }, [x, y]) {
  const east = (x - lon) * METRES_PER_DEGREE * Math.cos((lat * Math.PI) / 180);
  return Math.hypot(east, (y - lat) * METRES_PER_DEGREE);
}
