/** What the map can show: an answer, a parcel, rows of a batch, known places to choose a point by. */
import { polygonsOf } from '../shared/geojson-input.js';
import { answerStyle, choosingStyle } from './map-style.js';
import { circle } from './near-features.js';
import { areaStyle } from './parcel-style.js';

/**
 * @typedef {import('../answers/answers.js').Body} Body
 * @typedef {import('../shared/geojson-input.js').AreaGeometry} AreaGeometry
 * @typedef {import('../shared/geojson-input.js').Position} Position
 * @typedef {import('./map-style.js').Base} Base
 * @typedef {import('./map-style.js').MapBody} MapBody
 * @typedef {readonly [number, number, number, number]} Bounds west, south, east, north
 * @typedef {{ text: string, lat: number, lon: number }} KnownPlace
 * @typedef {{ styleOf: (base: Base) => any, bounds: Bounds, off?: ReadonlySet<string>, places?: readonly KnownPlace[] }} Drawing
 *   off: data sets that are switched off. places: those that are named
 */

/** Ontario. @type {Bounds} */
const ONTARIO = [-95.2, 41.6, -74.3, 56.9];

/** Known places are shown with at least so much around them, in metres. */
const LEAST_AROUND_M = 250;

/**
 * An answer with the data sets that are switched on at first.
 * @param {Body} body
 * @param {ReadonlySet<string>} shown
 * @returns {Drawing}
 */
export function drawingOfAnswer(body, shown) {
  const ring = circle(body, body.geometry?.radiusM ?? 1000);
  const styleOf = (/** @type {Base} */ base) => answerStyle(body, { base, ring, shown });
  return { styleOf, bounds: boundsOf(ring), off: offIn(body, shown) };
}

/**
 * A parcel with what lies in it.
 * @param {AreaGeometry} geometry
 * @param {MapBody} body
 * @param {ReadonlySet<string>} shown
 * @returns {Drawing}
 */
export function drawingOfArea(geometry, body, shown) {
  const styleOf = (/** @type {Base} */ base) => areaStyle(geometry, { base, body, shown });
  return { styleOf, bounds: boundsOf(polygonsOf(geometry).flat(2), 0.25), off: offIn(body, shown) };
}

/**
 * Something of the caller's, around these positions.
 * @param {(base: Base) => any} styleOf
 * @param {readonly Position[]} around
 * @returns {Drawing}
 */
export const drawingAround = (styleOf, around) => ({ styleOf, bounds: boundsOf(around, 0.05) });

/**
 * An empty map with known places, to choose a point on.
 * @param {readonly KnownPlace[]} places
 * @param {Body | null} around an earlier answer, whose features help where no other map is beneath
 * @returns {Drawing}
 */
export function drawingToChoose(places, around) {
  const rings = places.flatMap((place) => circle(place, LEAST_AROUND_M));
  const styleOf = (/** @type {Base} */ base) => choosingStyle(places, { base, around });
  return { styleOf, bounds: rings.length > 0 ? boundsOf(rings) : ONTARIO, places };
}

/**
 * @param {MapBody} body
 * @param {ReadonlySet<string>} shown
 */
const offIn = (body, shown) =>
  new Set((body.geometry?.features ?? []).map(({ properties }) => properties.dataSet).filter((id) => !shown.has(id)));

/**
 * @param {readonly Position[]} positions
 * @param {number} [around] share of the height and width to leave on each side
 * @returns {Bounds}
 */
function boundsOf(positions, around = 0) {
  const span = (/** @type {readonly number[]} */ values) => {
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const margin = (most - least) * around;
    return /** @type {const} */ ([least - margin, most + margin]);
  };
  const [west, east] = span(positions.map(([lon]) => lon));
  const [south, north] = span(positions.map(([, lat]) => lat));
  return [west, south, east, north];
}
