/** The answer's geometry, ready to draw. */
import { metresPerDegree, nearestOnSegment } from '../shared/ground.js';

/**
 * @typedef {[number, number]} Position
 * @typedef {{ lat: number, lon: number }} Place
 * @typedef {NonNullable<import('../../src/messages/wire/full-lookup.ts').FullLookupBody['geometry']>} NearGeometry
 * @typedef {NearGeometry['features'][number]} NearFeature
 */

/** A part of an outline whose ends both lie this close to the clip circle is the cut, not an edge. */
const CUT_TOLERANCE = 0.006;

/**
 * A ring around the place.
 * @param {Place} place
 * @param {number} radiusM
 * @returns {Position[]}
 */
export function circle({ lat, lon }, radiusM) {
  const { north, east } = metresPerDegree(lat);
  return Array.from({ length: 97 }, (_, i) => {
    const turn = (i / 96) * 2 * Math.PI;
    return [lon + (radiusM / east) * Math.cos(turn), lat + (radiusM / north) * Math.sin(turn)];
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
 * A line from the place to the nearest edge of the nearest feature of each data set.
 * @param {readonly NearFeature[]} features nearest first
 * @param {Place} place
 * @param {number} radiusM
 * @returns {{ dataSet: string, line: [Position, Position] }[]}
 */
export function reachesOf(features, place, radiusM) {
  const nearest = new Map([...features].reverse().map((feature) => [feature.properties.dataSet, feature]));
  return [...nearest].flatMap(([dataSet, feature]) => {
    const isPoint = feature.geometry.type.endsWith('Point');
    const edges = isPoint ? linesOf(feature.geometry) : edgesOf(feature, place, radiusM);
    const ends = edges.flatMap((edge) => edge.map((to, i) => nearestOnSegment(place, edge[i - 1] ?? to, to)));
    const [first = null] = ends;
    if (first === null) return [];
    const { at } = ends.reduce((best, end) => (end.metres < best.metres ? end : best), first);
    return [{ dataSet, line: [[place.lon, place.lat], at] }];
  });
}

/**
 * The lines, rings or single points of a geometry.
 * @param {NearFeature['geometry']} geometry
 * @returns {Position[][]}
 */
export function linesOf(geometry) {
  const coordinates = /** @type {any} */ (geometry.coordinates);
  switch (geometry.type) {
    case 'Point':
      return [[coordinates]];
    case 'MultiPoint':
      return coordinates.map((/** @type {Position} */ position) => [position]);
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
  const { north, east } = metresPerDegree(lat);
  return Math.hypot((x - lon) * east, (y - lat) * north);
}
