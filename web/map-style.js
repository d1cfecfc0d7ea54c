/** What the map draws, and in which order. */
import { colourOf, isShownFirst, quietOf } from './palette.js';
import { circle, edgesOf } from './near-features.js';

/**
 * @typedef {import('./answers.js').Body} Body
 * @typedef {[number, number]} Position
 * @typedef {{ sources: Record<string, any>, layers: any[] }} Base the map beneath, from this machine or a tile server; without layers where there is none
 * @typedef {{ base: Base, around: Body | null }} Beneath the base map, otherwise the features that an earlier answer found around
 */

const PAPER = '#f2efe7';
const DISC = '#fffdf8';
const INK = '#1f2a30';
const MARK = '#d64933';

const paper = { id: 'paper', type: 'background', paint: { 'background-color': PAPER } };

/**
 * The style of an answer: its features, the ring within which they lie, the place and how uncertain it is.
 * @param {Body} body
 * @param {Base} base
 * @param {readonly Position[]} ring
 * @returns {any}
 */
export function answerStyle(body, base, ring) {
  const { dataSets, sources } = nearFeatures(body);
  const hasBase = base.layers.length > 0;
  return styleWith(base, {
    sources: {
      ...sources,
      ring: geojson([polygon([ring])]),
      uncertainty: geojson([polygon([circle(body, Math.max(body.geocode.uncertaintyM, 1))])]),
      place: geojson([point(body)]),
    },
    layers: [
      { id: 'disc', type: 'fill', source: 'ring', paint: { 'fill-color': DISC, 'fill-opacity': hasBase ? 0.3 : 1 } },
      ...(hasBase ? [] : dataSets.flatMap(quietLayers)),
      ...dataSets.flatMap(fills),
      ...dataSets.flatMap(strokes),
      { id: 'ring', type: 'line', source: 'ring', paint: { 'line-color': '#b9b2a2', 'line-dasharray': [3, 3] } },
      { id: 'uncertainty', type: 'fill', source: 'uncertainty', paint: { 'fill-color': MARK, 'fill-opacity': 0.18 } },
      { id: 'uncertainty-edge', type: 'line', source: 'uncertainty', paint: { 'line-color': MARK, 'line-width': 1.5 } },
      dots('place', 5.5, MARK),
    ],
  });
}

/**
 * The style of a parcel, on the features that an earlier answer found around it.
 * @param {import('./geojson-input.js').AreaGeometry} geometry
 * @param {Beneath} beneath
 * @returns {any}
 */
export function areaStyle(geometry, beneath) {
  const { dataSets, sources } = featuresBeneath(beneath);
  return styleWith(beneath.base, {
    sources: { ...sources, parcel: geojson([{ type: 'Feature', properties: {}, geometry }]) },
    layers: [
      ...dataSets.flatMap(quietLayers),
      { id: 'parcel', type: 'fill', source: 'parcel', paint: { 'fill-color': MARK, 'fill-opacity': 0.12 } },
      { id: 'parcel-edge', type: 'line', source: 'parcel', paint: { 'line-color': MARK, 'line-width': 2 } },
    ],
  });
}

/**
 * A parcel that is being drawn: its corners, and the line through them.
 * @param {readonly Position[]} corners
 */
export function sketchData(corners) {
  const line = { type: 'Feature', properties: {}, geometry: { type: 'LineString', coordinates: corners } };
  const dots = corners.map(([lon, lat]) => point({ lon, lat }));
  return { type: 'FeatureCollection', features: [...(corners.length > 1 ? [line] : []), ...dots] };
}

/** @param {Beneath} beneath */
function featuresBeneath({ base, around }) {
  return around && base.layers.length === 0 ? nearFeatures(around) : { dataSets: [], sources: {} };
}

/** @param {Body} body */
function nearFeatures(body) {
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
    sources: { near: geojson(features), edges: geojson(edges) },
  };
}

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
    layers: [
      paper,
      ...base.layers,
      ...layers,
      {
        id: 'sketch-line',
        type: 'line',
        source: 'sketch',
        paint: { 'line-color': MARK, 'line-width': 2, 'line-dasharray': [2, 1] },
      },
      dots('sketch', 5, MARK, ['==', ['geometry-type'], 'Point']),
    ],
  };
}

/**
 * Features that help to find one's way, beneath everything else and switched by nothing.
 * @param {string} dataSet
 */
function quietLayers(dataSet) {
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

/** @param {string} dataSet */
function fills(dataSet) {
  return [
    {
      id: `${dataSet}:fill`,
      type: 'fill',
      source: 'near',
      filter: areaOf(dataSet),
      layout: { visibility: isShownFirst(dataSet) ? 'visible' : 'none' },
      paint: { 'fill-color': colourOf(dataSet), 'fill-opacity': fullOpacity(dataSet, 'fill'), 'fill-antialias': false },
    },
  ];
}

/** @param {string} dataSet */
function strokes(dataSet) {
  const ofSet = ['==', ['get', 'dataSet'], dataSet];
  const layout = { visibility: isShownFirst(dataSet) ? 'visible' : 'none' };
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
 * @param {string} source
 * @param {number} radius
 * @param {string} colour
 * @param {unknown[]} [filter]
 */
const dots = (source, radius, colour, filter) => ({
  id: source,
  type: 'circle',
  source,
  ...(filter ? { filter } : {}),
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
const polygon = (coordinates) => ({ type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates } });

/** @param {{ lat: number, lon: number }} place */
const point = ({ lat, lon }) => ({
  type: 'Feature',
  properties: {},
  geometry: { type: 'Point', coordinates: [lon, lat] },
});
