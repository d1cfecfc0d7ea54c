/** What the map draws, and in which order. */
import { colourOf, dashesOf, widthOf, type Ground, type Kind } from './palette.ts';
import { addressLayers, addressSource } from './map-labels.ts';
import {
  circle,
  edgesOf,
  featureOf,
  geojson,
  point,
  polygon,
  reachesOf,
  reachedInPart,
  type Feature,
} from './near-features.ts';
import type { Body } from '../shared/api.ts';
import type { Position } from '../shared/geojson-input.ts';

export type MapBody = Pick<Body, 'lat' | 'lon' | 'geometry'>;
/** The map beneath, from this machine or a tile server; without layers where there is none. */
export type Base = { sources: Readonly<Record<string, Source>>; layers: readonly Layer[] };
/** What the map library takes, as far as this page writes it. */
export type Style = Base & { version: 8 };
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
/** How a drawing looks now. `lit`: the data sets that somebody points at; null: none. */
export type Look = { base: Base; ground: Ground; lit: readonly string[] | null };
/** The data sets that are switched on, and what each is to a reader; what is not a finding is not there. */
export type Shown = { on: Set<string>; kinds: ReadonlyMap<string, Kind> };

/** Name of the picture of stripes. */
export const HATCH = 'hatch';

/** A parcel that is being drawn, above everything. */
const sketchLayers = ({ mark, ink, edge }: Ground) => [
  {
    id: 'sketch-fill',
    type: 'fill',
    source: 'sketch',
    filter: ['==', ['geometry-type'], 'Polygon'],
    paint: { 'fill-color': mark, 'fill-opacity': 0.15 },
  },
  {
    id: 'sketch-line',
    type: 'line',
    source: 'sketch',
    filter: ['==', ['geometry-type'], 'LineString'],
    paint: { 'line-color': mark, 'line-width': 2, 'line-dasharray': [2, 1] },
  },
  {
    id: 'sketch',
    type: 'circle',
    source: 'sketch',
    filter: ['==', ['geometry-type'], 'Point'],
    paint: {
      'circle-radius': ['case', ['get', 'crossing'], 8, 5],
      'circle-color': ['case', ['get', 'crossing'], '#ffd34d', mark],
      'circle-stroke-color': ['case', ['get', 'crossing'], ink, edge],
      'circle-stroke-width': 2,
    },
  },
];

/**
 * The style of an answer: its features, the ring within which they lie, the place and how uncertain it is.
 */
export function answerStyle(
  body: Body,
  { ring, shown }: { ring: readonly Position[]; shown: Shown },
): (look: Look) => Style {
  const near = nearFeatures(body);
  const sources = {
    ...near.sources,
    ...addressSource(body),
    reaches: geojson(reachesIn(body)),
    ring: geojson([polygon([ring])]),
    uncertainty: geojson([polygon([circle(body, Math.max(body.geocode.uncertaintyM, 1))])]),
    place: geojson([point(body)]),
  };
  return (look) => {
    const hasBase = look.base.layers.length > 0;
    const { disc, mark, ring } = look.ground;
    return styleWith(look, {
      sources,
      layers: [
        { id: 'disc', type: 'fill', source: 'ring', paint: { 'fill-color': disc, 'fill-opacity': hasBase ? 0.3 : 1 } },
        ...featureLayers(near, shown, look),
        ...near.dataSets.map((dataSet) => reach(dataSet, shown, look)),
        ...addressLayers(look),
        { id: 'ring', type: 'line', source: 'ring', paint: { 'line-color': ring, 'line-dasharray': [3, 3] } },
        { id: 'uncertainty', type: 'fill', source: 'uncertainty', paint: { 'fill-color': mark, 'fill-opacity': 0.18 } },
        {
          id: 'uncertainty-edge',
          type: 'line',
          source: 'uncertainty',
          paint: { 'line-color': mark, 'line-width': 1.5 },
        },
        dots('place', { radius: 5.5, colour: mark, edge: look.ground.edge }),
      ],
    });
  };
}

type Near = ReturnType<typeof nearFeatures>;

export function nearFeatures(body: MapBody) {
  const features = body.geometry?.features ?? [];
  const reach = body.geometry?.radiusM ?? 1000;
  const edges = features.flatMap((feature) =>
    edgesOf(feature, body, reach).map((edge) => featureOf('LineString', edge, { dataSet: feature.properties.dataSet })),
  );
  const setsOf = (some: typeof features) => [...new Set(some.map(({ properties }) => properties.dataSet))];
  return {
    dataSets: setsOf(features),
    ofAreas: setsOf(features.filter(({ geometry }) => geometry.type.endsWith('Polygon'))),
    sources: { near: geojson(features), edges: geojson(edges), hatch: geojson(reachedInPart(body)) },
  };
}

function reachesIn(body: Body) {
  const { features = [], radiusM = 0 } = body.geometry ?? {};
  return reachesOf(features, body, radiusM).map(({ dataSet, line }) => featureOf('LineString', line, { dataSet }));
}

/** Nobody knows there that no hazard is there. Light, because it is wide. */
const hatch = { id: 'hatch', type: 'fill', source: 'hatch', paint: { 'fill-pattern': HATCH, 'fill-opacity': 1 / 3 } };

/** What lies around: the ground where no other map is beneath, then areas, stripes and lines. */
export function featureLayers({ dataSets, ofAreas }: Near, shown: Shown, look: Look): Layer[] {
  const filled = filledOf(ofAreas, shown, look);
  // Edges that lie on each other are all seen: the graver, the wider and the lower.
  const gravestFirst = dataSets.toSorted((a, b) => rank(a, shown) - rank(b, shown));
  return [
    ...(look.base.layers.length > 0 ? [] : dataSets.flatMap((dataSet) => quietLayers(dataSet, look))),
    ...ofAreas.map((dataSet) => area(dataSet, { shown, look, isFilled: filled.includes(dataSet) })),
    hatch,
    ...gravestFirst.flatMap((dataSet) => strokes(dataSet, shown, look)),
  ];
}

const rank = (dataSet: string, shown: Shown) => ['hazard', 'close', 'other'].indexOf(kindOf(dataSet, shown));

/** The areas that are filled: those that somebody points at, otherwise the hazard, if there is one alone. Fills over each other tell nothing. */
function filledOf(ofAreas: readonly string[], { on, kinds }: Shown, { lit }: Look) {
  if (lit !== null) return lit;
  const hazards = ofAreas.filter((dataSet) => on.has(dataSet) && kinds.get(dataSet) === 'hazard');
  return hazards.length === 1 ? hazards : [];
}

/**
 * The style of a map on which somebody chooses: known addresses, to find one's way by. `around`: an earlier answer, whose features help where no other map
 * is beneath.
 */
export function choosingStyle(
  places: readonly { lat: number; lon: number }[],
  around: MapBody | null,
): (look: Look) => Style {
  const { dataSets, sources } = around ? nearFeatures(around) : { dataSets: [], sources: {} };
  return (look) =>
    styleWith(look, {
      sources: { ...sources, places: geojson(places.map((place) => point(place))) },
      layers: [
        ...(look.base.layers.length > 0 ? [] : dataSets.flatMap((dataSet) => quietLayers(dataSet, look))),
        dots('places', { radius: 4.5, colour: look.ground.ink, edge: look.ground.edge }),
      ],
    });
}

export function styleWith({ base, ground }: Look, { sources, layers }: Base): Style {
  const paper = { id: 'paper', type: 'background', paint: { 'background-color': ground.paper } };
  return {
    version: 8,
    sources: { ...base.sources, ...sources, sketch: geojson([]) },
    layers: [paper, ...base.layers, ...layers, ...sketchLayers(ground)],
  };
}

/** Features that help to find one's way, beneath everything else and switched by nothing. */
function quietLayers(dataSet: string, { ground }: Look): Layer[] {
  const quiet = ground.quiet[dataSet];
  if (!quiet) return [];
  const { fill, line, dashes } = quiet;
  const paint = { 'line-color': line, 'line-width': 1, ...(dashes ? { 'line-dasharray': dashes } : {}) };
  const ofSet = ['==', ['get', 'dataSet'], dataSet];
  const lines = { id: `quiet:${dataSet}:line`, type: 'line', source: 'edges', filter: ofSet, paint };
  if (!fill) return [lines];
  const areas = { id: `quiet:${dataSet}:fill`, type: 'fill', source: 'near', filter: areaOf(dataSet) };
  return [{ ...areas, paint: { 'fill-color': fill } }, lines];
}

const areaOf = (dataSet: string) => ['all', ['==', ['get', 'dataSet'], dataSet], ['==', ['geometry-type'], 'Polygon']];

const kindOf = (dataSet: string, { kinds }: Shown) => kinds.get(dataSet) ?? 'other';

/** What is switched off is shown while somebody points at it. */
const visibilityOf = (dataSet: string, { on }: Shown, { lit }: Look) => ({
  visibility: on.has(dataSet) || lit?.includes(dataSet) ? 'visible' : 'none',
});

/** What nobody points at fades while somebody points at something else. */
const opacityOf = (dataSet: string, { lit }: Look) => (lit === null || lit.includes(dataSet) ? 1 : 0.15);

function area(dataSet: string, { shown, look, isFilled }: { shown: Shown; look: Look; isFilled: boolean }): Layer {
  return {
    id: `${dataSet}:fill`,
    type: 'fill',
    source: 'near',
    filter: areaOf(dataSet),
    layout: visibilityOf(dataSet, shown, look),
    paint: {
      'fill-color': colourOf(dataSet, kindOf(dataSet, shown), look.ground),
      // One that is not filled can be pointed at all the same.
      'fill-opacity': isFilled ? 0.25 : 0,
      'fill-antialias': false,
    },
  };
}

function strokes(dataSet: string, shown: Shown, look: Look): Layer[] {
  const ofSet = ['==', ['get', 'dataSet'], dataSet];
  const layout = visibilityOf(dataSet, shown, look);
  const kind = kindOf(dataSet, shown);
  const colour = colourOf(dataSet, kind, look.ground);
  const dashes = dashesOf(dataSet);
  const opacity = opacityOf(dataSet, look);
  return [
    {
      id: `${dataSet}:line`,
      type: 'line',
      source: 'edges',
      filter: ofSet,
      layout: { ...layout, 'line-join': 'round', 'line-cap': 'round' },
      paint: {
        'line-color': colour,
        'line-opacity': opacity,
        'line-width': widthOf(dataSet, kind),
        ...(dashes ? { 'line-dasharray': dashes } : {}),
      },
    },
    {
      id: `${dataSet}:point`,
      type: 'circle',
      source: 'near',
      filter: ['all', ofSet, ['==', ['geometry-type'], 'Point']],
      layout,
      paint: {
        ...{ 'circle-radius': kind === 'other' ? 4.5 : 6, 'circle-color': colour, 'circle-opacity': opacity },
        ...{ 'circle-stroke-color': look.ground.ink, 'circle-stroke-width': 0.5, 'circle-stroke-opacity': opacity },
      },
    },
  ];
}

/** From the place to the nearest edge. */
const reach = (dataSet: string, shown: Shown, look: Look): Layer => ({
  id: `${dataSet}:reach`,
  type: 'line',
  source: 'reaches',
  filter: ['==', ['get', 'dataSet'], dataSet],
  layout: visibilityOf(dataSet, shown, look),
  paint: {
    ...{ 'line-color': look.ground.ink, 'line-opacity': opacityOf(dataSet, look) },
    ...{ 'line-width': 1, 'line-dasharray': [3, 2] },
  },
});

const dots = (source: string, { radius, colour, edge }: { radius: number; colour: string; edge: string }): Layer => ({
  id: source,
  type: 'circle',
  source,
  paint: { 'circle-radius': radius, 'circle-color': colour, 'circle-stroke-color': edge, 'circle-stroke-width': 2 },
});
