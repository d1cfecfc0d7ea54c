/** A parcel as a part of a link: short, and in letters that need no escape. */
import { areaOf, polygonsOf } from './geojson-input.js';

/**
 * @typedef {import('./geojson-input.js').AreaGeometry} AreaGeometry
 * @typedef {import('./geojson-input.js').Position} Position
 */

/** A millionth of a degree is 11 cm. */
const SCALE = 1e6;

/** Longer links are cut by mail programs and chats. */
export const MOST_LETTERS = 8000;

/**
 * Returns the parcel as text: each corner by its steps from the one before, to the base 36. Null when that would be too long.
 * @param {AreaGeometry} geometry
 */
export function areaText(geometry) {
  let [x, y] = [0, 0];
  const corner = (/** @type {Position} */ [lon, lat]) => {
    const [toX, toY] = [Math.round(lon * SCALE), Math.round(lat * SCALE)];
    const step = `${(toX - x).toString(36)}.${(toY - y).toString(36)}`;
    [x, y] = [toX, toY];
    return step;
  };
  const text = polygonsOf(geometry)
    // The last corner of a ring is the first.
    .map((rings) => rings.map((ring) => ring.slice(0, -1).map(corner).join('!')).join('*'))
    .join('~');
  return text.length > MOST_LETTERS ? null : text;
}

/**
 * Reads such a text; null when it is none.
 * @param {string} text
 * @returns {AreaGeometry | null}
 */
export function areaInText(text) {
  let [x, y] = [0, 0];
  const corner = (/** @type {string} */ step) => {
    const [dx = NaN, dy = NaN] = step.split('.').map((number) => parseInt(number, 36));
    [x, y] = [x + dx, y + dy];
    return /** @type {Position} */ ([x / SCALE, y / SCALE]);
  };
  const ringOf = (/** @type {string} */ steps) => {
    const corners = steps.split('!').map(corner);
    return [...corners, .../** @type {Position[]} */ (corners.slice(0, 1))];
  };
  const polygons = text.split('~').map((rings) => rings.split('*').map(ringOf));
  const isSound = polygons.flat().every((ring) => ring.length >= 4 && ring.flat().every(Number.isFinite));
  return isSound ? areaOf(polygons) : null;
}
