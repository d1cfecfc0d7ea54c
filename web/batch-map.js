/** The results of a batch on the map: a point for each row that has a place, coloured by outcome. */
import { lineSplitter, recordsOf } from './csv.js';
import { MOST_POINTS } from './batch-input.js';
import { fill, number, textsIn } from './i18n.js';
import { geojson, styleWith } from './map-style.js';
import { circle } from './near-features.js';

/**
 * @typedef {import('./batch-api.js').Outcome} Outcome
 * @typedef {import('./batch-input.js').Points} Points
 * @typedef {import('./session.js').Language} Language
 * @typedef {{ lon: number, lat: number, outcome: Outcome }} ResultPoint
 * @typedef {{ points: ResultPoint[], rows: number }} ResultPoints rows: the first rows of the results, with and without a place
 */

/** Also in batch.css, for the bar and the table. @type {Record<Outcome, string>} */
export const colours = {
  found: '#1f5e4b',
  notFound: '#d59a1e',
  outside: '#5a6fd0',
  invalid: '#9b2c1f',
  failed: '#3f3f46',
};

/** @type {Record<string, Outcome>} */
const byCode = { '': 'found', ADDRESS_NOT_FOUND: 'notFound', OUTSIDE_ONTARIO: 'outside', BAD_REQUEST: 'invalid' };

/** The view holds at least so much around the points, in metres. */
const AROUND_M = 250;

/**
 * Reads the places of the first rows from results as CSV, and then leaves the rest unread.
 * @param {Response} response
 * @param {Points} asked places of rows that were asked for by coordinates: a row without an answer is shown there
 * @returns {Promise<ResultPoints>}
 */
export async function readPoints(response, asked) {
  /** @type {ResultPoint[]} */
  const points = [];
  let rows = -1;
  /** @type {readonly string[]} */
  let header = [];
  for await (const record of recordsIn(response)) {
    if (rows === MOST_POINTS) break;
    if (++rows === 0) {
      header = record;
      continue;
    }
    const point = pointOf(header, record, asked);
    if (point) points.push(point);
  }
  return { points, rows: Math.max(rows, 0) };
}

/**
 * Yields the records of an answer in CSV. Whoever takes no more of them ends the download.
 * @param {Response} response
 */
async function* recordsIn(response) {
  const reader = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (response.body)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  const split = lineSplitter();
  /** @type {string[]} */
  let unfinished = [];
  try {
    for (let isLast = false; !isLast;) {
      const { done, value } = await reader.read();
      isLast = done;
      const { records, rest } = recordsOf([...unfinished, ...split(done ? null : value)], { isLast });
      unfinished = rest;
      yield* records.filter((record) => record !== null);
    }
  } finally {
    await reader.cancel();
  }
}

/**
 * @param {readonly string[]} header
 * @param {readonly string[]} record
 * @param {Points} asked
 * @returns {ResultPoint | null}
 */
function pointOf(header, record, asked) {
  const cell = (/** @type {string} */ name) => record[header.indexOf(name)] ?? '';
  const outcome = byCode[cell('code')] ?? 'failed';
  if (cell('lat') !== '') return { lat: Number(cell('lat')), lon: Number(cell('lon')), outcome };
  const place = asked.get(Number(cell('row')));
  return place ? { lon: place[0], lat: place[1], outcome } : null;
}

/**
 * Draws the points, and ends when they are drawn.
 * @param {Language} language
 * @param {ResultPoints & { label: string }} results
 * @param {import('./map-panel.js').MapPanel} panel
 */
export async function drawPoints(language, { points, label }, panel) {
  const styleOf = (/** @type {import('./map-style.js').Base} */ base) => pointsStyle(points, base);
  const around = cornersOf(points).flatMap((corner) => circle(corner, AROUND_M));
  await panel.put('batch-map-slot', {
    language,
    label,
    draw: (map) => map.drawOn({ styleOf, around }, { label, language }),
  });
}

/**
 * @param {readonly ResultPoint[]} points
 * @param {import('./map-style.js').Base} base
 */
function pointsStyle(points, base) {
  const features = points.map(({ lat, lon, outcome }) => ({
    type: 'Feature',
    properties: { outcome },
    geometry: { type: 'Point', coordinates: [lon, lat] },
  }));
  const colour = ['match', ['get', 'outcome'], ...Object.entries(colours).flat(), colours.failed];
  return styleWith(base, {
    sources: { results: geojson(features) },
    layers: [
      {
        id: 'results',
        type: 'circle',
        source: 'results',
        // What was not found lies above what was.
        layout: { 'circle-sort-key': ['case', ['==', ['get', 'outcome'], 'found'], 0, 1] },
        paint: {
          'circle-radius': 5,
          'circle-color': colour,
          'circle-stroke-color': '#fff',
          'circle-stroke-width': 1.5,
        },
      },
    ],
  });
}

/** @param {readonly ResultPoint[]} points */
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

/**
 * Says which rows the map shows.
 * @param {Language} language
 * @param {ResultPoints} results
 */
export const mapNote = (language, { points, rows }) =>
  fill(textsIn(language).batch.mapNote, {
    shown: number(language, points.length),
    rows: number(language, rows),
  });
