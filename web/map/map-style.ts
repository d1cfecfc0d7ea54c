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
import { polygonsOf, type AreaGeometry, type Position } from '../shared/area.ts';
import { crossingsOf } from '../shared/ground.ts';

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

/** Makes layers of a type; null in the paint is left out. */
const layersOf =
  (type: 'fill' | 'line' | 'circle') =>
  (id: string, source: string, paint: Record<string, unknown>, more: Partial<Layer> = {}): Layer => {
    const painted = Object.entries(paint).filter(([, value]) => value !== null);
    return {
      id,
      type,
      source,
      ...more,
      paint: Object.fromEntries(painted.map(([name, value]) => [`${type}-${name}`, value])),
    };
  };
export const [fill, line, circles] = [layersOf('fill'), layersOf('line'), layersOf('circle')];

const isA = (type: string) => ['==', ['geometry-type'], type];
const isOf = (dataSet: string) => ['==', ['get', 'dataSet'], dataSet];

/** A parcel that is being drawn, above everything. */
function sketchLayers({ mark, ink, edge }: Ground) {
  const crossingOr = (there: unknown, otherwise: unknown) => ['case', ['get', 'crossing'], there, otherwise];
  const corners = {
    radius: crossingOr(8, 5),
    color: crossingOr('#ffd34d', mark),
    'stroke-color': crossingOr(ink, edge),
    'stroke-width': 2,
  };
  return [
    fill('sketch-fill', 'sketch', { color: mark, opacity: 0.15 }, { filter: isA('Polygon') }),
    line('sketch-line', 'sketch', { color: mark, width: 2, dasharray: [2, 1] }, { filter: isA('LineString') }),
    circles('sketch', 'sketch', corners, { filter: isA('Point') }),
  ];
}

/** The style of an answer: its features, the ring within which they lie, the place and how uncertain it is. */
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
        fill('disc', 'ring', { color: disc, opacity: hasBase ? 0.3 : 1 }),
        ...featureLayers(near, shown, look),
        ...near.dataSets.map((dataSet) => reach(dataSet, shown, look)),
        ...addressLayers(look),
        line('ring', 'ring', { color: ring, dasharray: [3, 3] }),
        fill('uncertainty', 'uncertainty', { color: mark, opacity: 0.18 }),
        line('uncertainty-edge', 'uncertainty', { color: mark, width: 1.5 }),
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
const hatch = fill('hatch', 'hatch', { pattern: HATCH, opacity: 1 / 3 });

/** What lies around: the ground where no other map is beneath, then areas, stripes and lines. */
function featureLayers({ dataSets, ofAreas }: Near, shown: Shown, look: Look): Layer[] {
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
  const paint = { color: quiet.line, width: 1, dasharray: quiet.dashes ?? null };
  const lines = line(`quiet:${dataSet}:line`, 'edges', paint, { filter: isOf(dataSet) });
  if (!quiet.fill) return [lines];
  return [fill(`quiet:${dataSet}:fill`, 'near', { color: quiet.fill }, { filter: areaOf(dataSet) }), lines];
}

const areaOf = (dataSet: string) => ['all', isOf(dataSet), isA('Polygon')];

const kindOf = (dataSet: string, { kinds }: Shown) => kinds.get(dataSet) ?? 'other';

/** What is switched off is shown while somebody points at it. */
const visibilityOf = (dataSet: string, { on }: Shown, { lit }: Look) => ({
  visibility: on.has(dataSet) || lit?.includes(dataSet) ? 'visible' : 'none',
});

/** What nobody points at fades while somebody points at something else. */
const opacityOf = (dataSet: string, { lit }: Look) => (lit === null || lit.includes(dataSet) ? 1 : 0.15);

function area(dataSet: string, { shown, look, isFilled }: { shown: Shown; look: Look; isFilled: boolean }) {
  const color = colourOf(dataSet, kindOf(dataSet, shown), look.ground);
  // One that is not filled can be pointed at all the same.
  const paint = { color, opacity: isFilled ? 0.25 : 0, antialias: false };
  return fill(`${dataSet}:fill`, 'near', paint, {
    filter: areaOf(dataSet),
    layout: visibilityOf(dataSet, shown, look),
  });
}

function strokes(dataSet: string, shown: Shown, look: Look): Layer[] {
  const layout = visibilityOf(dataSet, shown, look);
  const kind = kindOf(dataSet, shown);
  const paint = { color: colourOf(dataSet, kind, look.ground), opacity: opacityOf(dataSet, look) };
  const lines = { ...paint, width: widthOf(dataSet, kind), dasharray: dashesOf(dataSet) };
  const edge = { 'stroke-color': look.ground.ink, 'stroke-width': 0.5, 'stroke-opacity': paint.opacity };
  return [
    line(`${dataSet}:line`, 'edges', lines, {
      filter: isOf(dataSet),
      layout: { ...layout, 'line-join': 'round', 'line-cap': 'round' },
    }),
    circles(
      `${dataSet}:point`,
      'near',
      { ...paint, ...edge, radius: kind === 'other' ? 4.5 : 6 },
      { filter: ['all', isOf(dataSet), isA('Point')], layout },
    ),
  ];
}

/** From the place to the nearest edge. */
function reach(dataSet: string, shown: Shown, look: Look) {
  const paint = { color: look.ground.ink, opacity: opacityOf(dataSet, look), width: 1, dasharray: [3, 2] };
  const layout = visibilityOf(dataSet, shown, look);
  return line(`${dataSet}:reach`, 'reaches', paint, { filter: isOf(dataSet), layout });
}

const dots = (source: string, { radius, colour, edge }: { radius: number; colour: string; edge: string }) =>
  circles(source, source, { radius, color: colour, 'stroke-color': edge, 'stroke-width': 2 });

/** Degrees around a parcel that are veiled: more than anybody moves the map. */
const VEILED = 2;

/** The style of a parcel: what lies in it as it is, and what lies around it veiled, so that the parts that a layer covers stand out. */
export function areaStyle(
  geometry: AreaGeometry,
  { body, shown }: { body: MapBody; shown: Shown },
): (look: Look) => Style {
  const near = nearFeatures(body);
  const sources = {
    ...near.sources,
    ...addressSource(body),
    parcel: geojson([featureOf(geometry.type, geometry.coordinates)]),
    veil: geojson(veilOf(geometry)),
  };
  return (look) => {
    const { disc, paper, mark } = look.ground;
    return styleWith(look, {
      sources,
      layers: [
        ...(look.base.layers.length > 0 ? [] : [fill('ground', 'parcel', { color: disc })]),
        ...featureLayers(near, shown, look),
        fill('veil', 'veil', { color: paper, opacity: 0.7 }),
        ...addressLayers(look),
        line('parcel-edge', 'parcel', { color: mark, width: 2 }),
      ],
    });
  };
}

/** All but the parcel. */
function veilOf(geometry: AreaGeometry) {
  const polygons = polygonsOf(geometry);
  const [[x, y] = [0, 0]] = polygons.flat(2);
  const [west, south, east, north] = [x - VEILED, y - VEILED, x + VEILED, y + VEILED];
  const frame: Position[] = [[west, south], [east, south], [east, north], [west, north], [west, south]]; // prettier-ignore
  const outlines = polygons.flatMap((rings) => rings.slice(0, 1));
  const holes = polygons.flatMap((rings) => rings.slice(1));
  return [polygon([frame, ...outlines]), ...holes.map((hole) => polygon([hole]))];
}

/** A parcel that is being drawn: its corners, the line that closes it, what it surrounds, and where it crosses itself. */
export function sketchData(corners: readonly Position[]) {
  const crossings = crossingsOf(corners);
  const closed = [...corners, ...corners.slice(0, 1)];
  const at = ([lon, lat]: Position, crossing: boolean) => point({ lon, lat }, { crossing });
  return geojson([
    ...(corners.length > 2 && crossings.length === 0 ? [polygon([closed])] : []),
    ...(corners.length > 1 ? [featureOf('LineString', closed)] : []),
    ...corners.map((corner) => at(corner, false)),
    ...crossings.map((crossing) => at(crossing, true)),
  ]).data;
}
