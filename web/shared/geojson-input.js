/** The parcel in a GeoJSON text. */
import { ringArea } from './ground.js';

/**
 * @typedef {[number, number]} Position
 * @typedef {{ type: 'Polygon', coordinates: Position[][] } | { type: 'MultiPolygon', coordinates: Position[][][] }} AreaGeometry
 * @typedef {'notJson' | 'noPolygon' | 'notDegrees' | 'otherCrs' | 'tooManyVertices'} InputFault
 * @typedef {{ geometry: AreaGeometry, outlines: AreaGeometry[] }} Parcel geometry: all of it. outlines: of each feature
 * @typedef {Parcel | { fault: InputFault }} ParcelInput
 */

/** As the service takes. */
export const MOST_VERTICES = 5000;

/** Names of WGS 84 in the member `crs` of older files. */
const WGS84 = /CRS:?:?84$|EPSG:?:?4326$/i;

/**
 * Reads the polygons of a geometry, a feature or a collection.
 * @param {string} text
 * @returns {ParcelInput}
 */
export function parcelIn(text) {
  /** @type {any} */
  let json;
  try {
    json = JSON.parse(text);
  } catch {
    return { fault: 'notJson' };
  }
  const crs = json?.crs?.properties?.name;
  if (crs !== undefined && !WGS84.test(String(crs))) return { fault: 'otherCrs' };
  const members = membersOf(json)
    .map(polygonsIn)
    .filter((member) => member.length > 0);
  const polygons = members.flat();
  if (polygons.length === 0 || !polygons.every(isPolygon)) return { fault: 'noPolygon' };
  const positions = polygons.flat(2);
  if (!positions.every(([lon, lat]) => Math.abs(lon) <= 180 && Math.abs(lat) <= 90)) return { fault: 'notDegrees' };
  if (positions.length > MOST_VERTICES) return { fault: 'tooManyVertices' };
  return { geometry: areaOf(inPlane(polygons)), outlines: members.map((member) => areaOf(inPlane(member))) };
}

/**
 * Without heights.
 * @param {Position[][][]} polygons
 * @returns {Position[][][]}
 */
const inPlane = (polygons) => polygons.map((rings) => rings.map((ring) => ring.map(([lon, lat]) => [lon, lat])));

/**
 * The features of a collection, or the only one.
 * @param {any} json
 * @returns {any[]}
 */
function membersOf(json) {
  const members =
    json?.type === 'FeatureCollection' ? json.features : json?.type === 'GeometryCollection' ? json.geometries : null;
  return Array.isArray(members) ? members.flatMap(membersOf) : [json];
}

/**
 * @param {Position[][][]} polygons
 * @returns {AreaGeometry}
 */
export function areaOf(polygons) {
  const [only] = polygons;
  return only && polygons.length === 1
    ? { type: 'Polygon', coordinates: only }
    : { type: 'MultiPolygon', coordinates: polygons };
}

/**
 * @param {AreaGeometry} geometry
 * @returns {Position[][][]}
 */
export const polygonsOf = ({ type, coordinates }) => (type === 'Polygon' ? [coordinates] : coordinates);

/**
 * @param {any} json
 * @returns {Position[][][]}
 */
function polygonsIn(json) {
  switch (json?.type) {
    case 'Polygon':
      return [json.coordinates];
    case 'MultiPolygon':
      return Array.isArray(json.coordinates) ? json.coordinates : [];
    case 'Feature':
      return polygonsIn(json.geometry);
    case 'GeometryCollection':
      return Array.isArray(json.geometries) ? json.geometries.flatMap(polygonsIn) : [];
    default:
      return [];
  }
}

/** @param {unknown} rings */
function isPolygon(rings) {
  return (
    Array.isArray(rings) &&
    rings.length > 0 &&
    rings.every((ring) => Array.isArray(ring) && ring.length >= 4 && ring.every(isPosition))
  );
}

/** @param {unknown} position */
function isPosition(position) {
  return Array.isArray(position) && position.length >= 2 && position.slice(0, 2).every(Number.isFinite);
}

/**
 * About how large an area is on the ground, in square metres.
 * @param {AreaGeometry} geometry
 */
export function aboutM2(geometry) {
  const areaOfRings = (/** @type {Position[][]} */ [outer = [], ...holes]) =>
    holes.reduce((left, hole) => left - ringArea(hole), ringArea(outer));
  return polygonsOf(geometry).reduce((sum, rings) => sum + areaOfRings(rings), 0);
}
