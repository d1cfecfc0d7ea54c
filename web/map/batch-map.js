/** The results of a batch on the map: a point for each row that has a place, by outcome or by what it has of a layer. */
import { drawingAround } from './drawings.js';
import { geojson, styleWith } from './map-style.js';
import { circle } from './near-features.js';

/**
 * @typedef {import('../batch/batch-api.js').Outcome} Outcome
 * @typedef {import('../batch/batch-rows.js').Found} Found
 * @typedef {{ colour: string, edge: string, radius: number }} Look
 * @typedef {{ lat: number, lon: number, kind: Outcome | Found }} Point
 */

const OUTCOME = { edge: '#fff', radius: 5 };

/** How the points look, what lies below first. Also in batch.css. @type {Record<Outcome | Found, Look>} */
const looks = {
  found: { ...OUTCOME, colour: '#1f5e4b' },
  notFound: { ...OUTCOME, colour: '#d59a1e' },
  outside: { ...OUTCOME, colour: '#5a6fd0' },
  invalid: { ...OUTCOME, colour: '#9b2c1f' },
  failed: { ...OUTCOME, colour: '#3f3f46' },
  unknown: { colour: '#8a94a0', edge: '#fff', radius: 3.5 },
  none: { colour: '#fffdf8', edge: '#55626a', radius: 4.5 },
  close: { colour: '#d59a1e', edge: '#1f2a30', radius: 5 },
  here: { colour: '#9b2c1f', edge: '#fff', radius: 7 },
};

/** The view holds at least so much around the points, in metres. */
const AROUND_M = 250;

/** @param {readonly Point[]} points */
export function drawingOfPoints(points) {
  const around = cornersOf(points).flatMap((corner) => circle(corner, AROUND_M));
  return drawingAround((base) => pointsStyle(points, base), around);
}

/**
 * @param {readonly Point[]} points
 * @param {import('./map-style.js').Base} base
 */
function pointsStyle(points, base) {
  const features = points.map(({ lat, lon, kind }) => ({
    type: 'Feature',
    properties: { ...looks[kind], order: Object.keys(looks).indexOf(kind) },
    geometry: { type: 'Point', coordinates: [lon, lat] },
  }));
  return styleWith(base, {
    sources: { results: geojson(features) },
    layers: [
      {
        id: 'results',
        type: 'circle',
        source: 'results',
        layout: { 'circle-sort-key': ['get', 'order'] },
        paint: {
          'circle-radius': ['get', 'radius'],
          'circle-color': ['get', 'colour'],
          'circle-stroke-color': ['get', 'edge'],
          'circle-stroke-width': 1.5,
        },
      },
    ],
  });
}

/** @param {readonly { lat: number, lon: number }[]} points */
function cornersOf(points) {
  const [west, south, east, north] = points.reduce(
    ([west, south, east, north], { lon, lat }) =>
      /** @type {[number, number, number, number]} */ ([
        Math.min(west, lon),
        Math.min(south, lat),
        Math.max(east, lon),
        Math.max(north, lat),
      ]),
    [Infinity, Infinity, -Infinity, -Infinity],
  );
  return [
    { lon: west, lat: south },
    { lon: east, lat: north },
  ];
}
