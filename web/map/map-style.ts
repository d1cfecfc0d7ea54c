/** What the map draws, and in which order. */
import { colourOf, quietOf } from './palette.ts';
import { addressLayers, addressSource } from './map-labels.ts';
import { circle, edgesOf, reachesOf } from './near-features.ts';
import type { Body } from '../shared/api.ts';

export type MapBody = Pick<Body, 'lat' | 'lon' | 'geometry'>;
type Position = [number, number];
/** The map beneath, from this machine or a tile server; without layers where there is none. */
export type Base = { sources: Readonly<Record<string, Source>>; layers: readonly Layer[] };
/** What the map library takes, as far as this page writes it. */
export type Style = Base & { version: 8 };
export type Geometry = { type: string; coordinates: unknown };
export type Feature = { type: string; geometry: Geometry; properties: Readonly<Record<string, unknown>> };
type Source = { type: string; data?: { type: string; features: readonly Feature[] }; [more: string]: unknown };
export type Filter = readonly unknown[];
export type Layer = {
  id: string;
  type: string;
  source?: string;
  filter?: Filter;
  minzoom?: number;
  layout?: Readonly<Record<string, unknown>>;
  paint?: Readonly<Record<string, unknown>>;
};
/** The base map, otherwise the features that an earlier answer found around. */
type Beneath = { base: Base; around: MapBody | null };

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
 * The style of an answer: its features, the ring within which they lie, the place and how uncertain it is. `shown`: the data sets that are switched on.
 */
export function answerStyle(
  body: Body,
  { base, ring, shown }: { base: Base; ring: readonly Position[]; shown: ReadonlySet<string> },
): Style {
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

function featuresBeneath({ base, around }: Beneath) {
  return around && base.layers.length === 0 ? nearFeatures(around) : { dataSets: [], sources: {} };
}

export function nearFeatures(body: MapBody) {
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

function reachesIn(body: Body) {
  const { features = [], radiusM = 0 } = body.geometry ?? {};
  return reachesOf(features, body, radiusM).map(({ dataSet, line }) => ({
    type: 'Feature',
    properties: { dataSet },
    geometry: { type: 'LineString', coordinates: line },
  }));
}

/** Nobody knows there that no hazard is there. */
export const hatch = { id: 'hatch', type: 'fill', source: 'hatch', paint: { 'fill-pattern': HATCH } };

/** The style of a map on which somebody chooses: known addresses, to find one's way by. */
export function choosingStyle(places: readonly { lat: number; lon: number }[], beneath: Beneath): Style {
  const { dataSets, sources } = featuresBeneath(beneath);
  return styleWith(beneath.base, {
    sources: { ...sources, places: geojson(places.map(point)) },
    layers: [...dataSets.flatMap(quietLayers), dots('places', 4.5, INK)],
  });
}

export function styleWith(base: Base, { sources, layers }: Base): Style {
  return {
    version: 8,
    sources: { ...base.sources, ...sources, sketch: geojson([]) },
    layers: [paper, ...base.layers, ...layers, ...sketchLayers],
  };
}

/** Features that help to find one's way, beneath everything else and switched by nothing. */
export function quietLayers(dataSet: string) {
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

const areaOf = (dataSet: string) => ['all', ['==', ['get', 'dataSet'], dataSet], ['==', ['geometry-type'], 'Polygon']];

export const fullOpacity = (dataSet: string, part: string) =>
  part !== 'fill' ? 1 : dataSet === 'ohn_waterbody' ? 0.6 : 0.22;

const visibilityOf = (dataSet: string, shown: ReadonlySet<string>) => (shown.has(dataSet) ? 'visible' : 'none');

export function fills(dataSet: string, shown: ReadonlySet<string>) {
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

export function strokes(dataSet: string, shown: ReadonlySet<string>) {
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

/** From the place to the nearest edge. */
const reach = (dataSet: string, shown: ReadonlySet<string>) => ({
  id: `${dataSet}:reach`,
  type: 'line',
  source: 'reaches',
  filter: ['==', ['get', 'dataSet'], dataSet],
  layout: { visibility: visibilityOf(dataSet, shown) },
  paint: { 'line-color': INK, 'line-width': 1, 'line-dasharray': [3, 2] },
});

const dots = (source: string, radius: number, colour: string) => ({
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

export const geojson = (features: readonly Feature[]) => ({
  type: 'geojson',
  data: { type: 'FeatureCollection', features },
});

export const polygon = (coordinates: readonly (readonly Position[])[]) => ({
  type: 'Feature',
  properties: {},
  geometry: { type: 'Polygon', coordinates },
});

export const point = ({ lat, lon }: { lat: number; lon: number }) => ({
  type: 'Feature',
  properties: {},
  geometry: { type: 'Point', coordinates: [lon, lat] },
});
