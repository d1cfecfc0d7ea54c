/** What the map draws, and in which order. */
import { colourOf, quietOf } from './palette.js';
import { addressLayers, addressSource } from './map-labels.js';
import { circle, edgesOf, reachesOf } from './near-features.js';

/**
 * @typedef {import('../answers/answers.js').Body} Body
 * @typedef {Pick<Body, 'lat' | 'lon' | 'geometry'>} MapBody
 * @typedef {[number, number]} Position
 * @typedef {{ sources: Record<string, any>, layers: any[] }} Base the map beneath, from this machine or a tile server; without layers where there is none
 * @typedef {{ base: Base, around: MapBody | null }} Beneath the base map, otherwise the features that an earlier answer found around
 */

export const PAPER = '#f2efe7';
export const DISC = '#fffdf8';
export const INK = '#1f2a30';
export const MARK = '#d64933';

/** Name of the picture of stripes. */
export const HATCH = 'hatch';

/** A parcel that is being drawn, above everything. */
const sketchLayers = [
  {
    id: 'sketch-fill',
    type: 'fill',
    source: 'sketch',
    filter: ['==', ['geometry-type'], 'Polygon'],
    paint: { 'fill-color': MARK, 'fill-opacity': 0.15 },
  },
  {
    id: 'sketch-line',
    type: 'line',
    source: 'sketch',
    filter: ['==', ['geometry-type'], 'LineString'],
    paint: { 'line-color': MARK, 'line-width': 2, 'line-dasharray': [2, 1] },
  },
  {
    id: 'sketch',
    type: 'circle',
    source: 'sketch',
    filter: ['==', ['geometry-type'], 'Point'],
    paint: {
      'circle-radius': ['case', ['get', 'crossing'], 8, 5],
      'circle-color': ['case', ['get', 'crossing'], '#ffd34d', MARK],
      'circle-stroke-color': ['case', ['get', 'crossing'], INK, '#fff'],
      'circle-stroke-width': 2,
    },
  },
];

const paper = { id: 'paper', type: 'background', paint: { 'background-color': PAPER } };

/**
 * The style of an answer: its features, the ring within which they lie, the place and how uncertain it is.
 * @param {Body} body
 * @param {{ base: Base, ring: readonly Position[], shown: ReadonlySet<string> }} options shown: the data sets that are switched on
 * @returns {any}
 */
export function answerStyle(body, { base, ring, shown }) {
  const { dataSets, sources } = nearFeatures(body);
  const hasBase = base.layers.length > 0;
  return styleWith(base, {
    sources: {
      ...sources,
      ...addressSource(hasBase ? null : body),
      reaches: geojson(reachesIn(body)),
      ring: geojson([polygon([ring])]),
      uncertainty: geojson([polygon([circle(body, Math.max(body.geocode.uncertaintyM, 1))])]),
      place: geojson([point(body)]),
    },
    layers: [
      { id: 'disc', type: 'fill', source: 'ring', paint: { 'fill-color': DISC, 'fill-opacity': hasBase ? 0.3 : 1 } },
      ...(hasBase ? [] : dataSets.flatMap(quietLayers)),
      ...dataSets.flatMap((dataSet) => fills(dataSet, shown)),
      hatch,
      ...dataSets.flatMap((dataSet) => strokes(dataSet, shown)),
      ...dataSets.map((dataSet) => reach(dataSet, shown)),
      ...addressLayers(hasBase),
      { id: 'ring', type: 'line', source: 'ring', paint: { 'line-color': '#b9b2a2', 'line-dasharray': [3, 3] } },
      { id: 'uncertainty', type: 'fill', source: 'uncertainty', paint: { 'fill-color': MARK, 'fill-opacity': 0.18 } },
      { id: 'uncertainty-edge', type: 'line', source: 'uncertainty', paint: { 'line-color': MARK, 'line-width': 1.5 } },
      dots('place', 5.5, MARK),
    ],
  });
}

/** @param {Beneath} beneath */
function featuresBeneath({ base, around }) {
  return around && base.layers.length === 0 ? nearFeatures(around) : { dataSets: [], sources: {} };
}

/** @param {MapBody} body */
export function nearFeatures(body) {
  const features = body.geometry?.features ?? [];
  const reach = body.geometry?.radiusM ?? 1000;
  const edges = features.flatMap((feature) =>
    edgesOf(feature, body, reach).map((coordinates) => ({
      type: 'Feature',
      properties: { dataSet: feature.properties.dataSet },
      geometry: { type: 'LineString', coordinates },
    })),
  );
  return {
    dataSets: [...new Set(features.map(({ properties }) => properties.dataSet))],
    sources: { near: geojson(features), edges: geojson(edges), hatch: geojson(body.geometry?.notReached ?? []) },
  };
}

/** @param {Body} body */
function reachesIn(body) {
  const { features = [], radiusM = 0 } = body.geometry ?? {};
  return reachesOf(features, body, radiusM).map(({ dataSet, line }) => ({
    type: 'Feature',
    properties: { dataSet },
    geometry: { type: 'LineString', coordinates: line },
  }));
}

/** Nobody knows there that no hazard is there. */
export const hatch = { id: 'hatch', type: 'fill', source: 'hatch', paint: { 'fill-pattern': HATCH } };

/**
 * The style of a map on which somebody chooses: known addresses, to find one's way by.
 * @param {readonly { lat: number, lon: number }[]} places
 * @param {Beneath} beneath
 * @returns {any}
 */
export function choosingStyle(places, beneath) {
  const { dataSets, sources } = featuresBeneath(beneath);
  return styleWith(beneath.base, {
    sources: { ...sources, places: geojson(places.map(point)) },
    layers: [...dataSets.flatMap(quietLayers), dots('places', 4.5, INK)],
  });
}

/**
 * @param {Base} base
 * @param {Base} own
 */
export function styleWith(base, { sources, layers }) {
  return {
    version: 8,
    sources: { ...base.sources, ...sources, sketch: geojson([]) },
    layers: [paper, ...base.layers, ...layers, ...sketchLayers],
  };
}

/**
 * Features that help to find one's way, beneath everything else and switched by nothing.
 * @param {string} dataSet
 */
export function quietLayers(dataSet) {
  const quiet = quietOf(dataSet);
  if (!quiet) return [];
  const ofSet = ['==', ['get', 'dataSet'], dataSet];
  const { fill, line, dashes } = quiet;
  return [
    ...(fill
      ? [
          {
            id: `quiet:${dataSet}:fill`,
            type: 'fill',
            source: 'near',
            filter: areaOf(dataSet),
            paint: { 'fill-color': fill },
          },
        ]
      : []),
    {
      id: `quiet:${dataSet}:line`,
      type: 'line',
      source: 'edges',
      filter: ofSet,
      paint: { 'line-color': line, 'line-width': 1, ...(dashes ? { 'line-dasharray': dashes } : {}) },
    },
  ];
}

/** @param {string} dataSet */
const areaOf = (dataSet) => ['all', ['==', ['get', 'dataSet'], dataSet], ['==', ['geometry-type'], 'Polygon']];

/**
 * @param {string} dataSet
 * @param {string} part
 */
export const fullOpacity = (dataSet, part) => (part !== 'fill' ? 1 : dataSet === 'ohn_waterbody' ? 0.6 : 0.22);

/**
 * @param {string} dataSet
 * @param {ReadonlySet<string>} shown
 */
const visibilityOf = (dataSet, shown) => (shown.has(dataSet) ? 'visible' : 'none');

/**
 * @param {string} dataSet
 * @param {ReadonlySet<string>} shown
 */
export function fills(dataSet, shown) {
  return [
    {
      id: `${dataSet}:fill`,
      type: 'fill',
      source: 'near',
      filter: areaOf(dataSet),
      layout: { visibility: visibilityOf(dataSet, shown) },
      paint: { 'fill-color': colourOf(dataSet), 'fill-opacity': fullOpacity(dataSet, 'fill'), 'fill-antialias': false },
    },
  ];
}

/**
 * @param {string} dataSet
 * @param {ReadonlySet<string>} shown
 */
export function strokes(dataSet, shown) {
  const ofSet = ['==', ['get', 'dataSet'], dataSet];
  const layout = { visibility: visibilityOf(dataSet, shown) };
  const colour = colourOf(dataSet);
  return [
    {
      id: `${dataSet}:line`,
      type: 'line',
      source: 'edges',
      filter: ofSet,
      layout: { ...layout, 'line-join': 'round', 'line-cap': 'round' },
      paint: {
        'line-color': colour,
        'line-width': ['ohn_watercourse', 'orwn_track', 'utility_line'].includes(dataSet) ? 2.5 : 1.5,
        ...(dataSet === 'utility_line' || dataSet === 'orwn_track' ? { 'line-dasharray': [2, 1.5] } : {}),
      },
    },
    {
      id: `${dataSet}:point`,
      type: 'circle',
      source: 'near',
      filter: ['all', ofSet, ['==', ['geometry-type'], 'Point']],
      layout,
      paint: { 'circle-radius': 4.5, 'circle-color': colour, 'circle-stroke-color': INK, 'circle-stroke-width': 0.5 },
    },
  ];
}

/**
 * From the place to the nearest edge.
 * @param {string} dataSet
 * @param {ReadonlySet<string>} shown
 */
const reach = (dataSet, shown) => ({
  id: `${dataSet}:reach`,
  type: 'line',
  source: 'reaches',
  filter: ['==', ['get', 'dataSet'], dataSet],
  layout: { visibility: visibilityOf(dataSet, shown) },
  paint: { 'line-color': INK, 'line-width': 1, 'line-dasharray': [3, 2] },
});

/**
 * @param {string} source
 * @param {number} radius
 * @param {string} colour
 */
const dots = (source, radius, colour) => ({
  id: source,
  type: 'circle',
  source,
  paint: {
    'circle-radius': radius,
    'circle-color': colour,
    'circle-stroke-color': '#fff',
    'circle-stroke-width': 2,
  },
});

/** @param {readonly unknown[]} features */
export const geojson = (features) => ({ type: 'geojson', data: { type: 'FeatureCollection', features } });

/** @param {readonly (readonly Position[])[]} coordinates */
export const polygon = (coordinates) => ({
  type: 'Feature',
  properties: {},
  geometry: { type: 'Polygon', coordinates },
});

/** @param {{ lat: number, lon: number }} place */
export const point = ({ lat, lon }) => ({
  type: 'Feature',
  properties: {},
  geometry: { type: 'Point', coordinates: [lon, lat] },
});
