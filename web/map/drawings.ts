/** What the map can show: an answer, a parcel, rows of a batch, known places to choose a point by. */
import { polygonsOf, type AreaGeometry, type Position } from '../shared/area.ts';
import {
  answerStyle,
  areaStyle,
  choosingStyle,
  circles,
  styleWith,
  type Look,
  type MapBody,
  type Shown,
  type Style,
} from './map-style.ts';
import { namesLayers, namesSource } from './map-labels.ts';
import { circle, geojson, point } from './near-features.ts';
import { looks } from './palette.ts';
import type { Body } from '../shared/api.ts';

/** West, south, east, north. */
export type Bounds = readonly [number, number, number, number];
export type KnownPlace = { text: string; lat: number; lon: number };
/** So much around the place, in metres. */
export type View = { aroundM: number; bounds: Bounds };
/** `bounds`: at first. `views`: among which the reader can choose. `places`: those that are named. */
export type Drawing = {
  styleOf: (look: Look) => Style;
  bounds: Bounds;
  views?: readonly View[];
  places?: readonly KnownPlace[];
};

/** Ontario. */
const ONTARIO: Bounds = [-95.2, 41.6, -74.3, 56.9];

/** A place is shown with at least so much around it, in metres: so one recognises it by its neighbours. */
const LEAST_AROUND_M = 250;

/** An answer with the data sets that are switched on at first: near, and as far as it goes. */
export function drawingOfAnswer(body: Body, shown: Shown): Drawing {
  const radiusM = body.geometry?.radiusM ?? 1000;
  const views = [...new Set([startingAroundM(body, shown.on), radiusM])].map((aroundM) => ({
    aroundM,
    bounds: boundsOf(circle(body, aroundM)),
  }));
  const styleOf = answerStyle(body, { ring: circle(body, radiusM), shown });
  return { styleOf, bounds: views[0]?.bounds ?? ONTARIO, views };
}

/** Steps of the ground that is shown at first, in metres. */
const STEP_M = 50;
/** The nearest edge of a finding shall not lie on the edge of the map. */
const MARGIN = 1.1;

/**
 * How much of the ground is shown at first, in metres around the place: where one recognises it, or as far as the nearest feature of each finding and the
 * uncertainty of the place.
 */
export function startingAroundM(
  { geometry, geocode }: Pick<Body, 'geometry' | 'geocode'>,
  findings: ReadonlySet<string>,
) {
  const { features = [], radiusM = 1000 } = geometry ?? {};
  const distances = [...findings].map((id) =>
    Math.min(
      ...features.filter(({ properties }) => properties.dataSet === id).map(({ properties }) => properties.distanceM),
    ),
  );
  const farthestM = Math.max(geocode.uncertaintyM, ...distances.filter((one) => one < Infinity));
  const neededM = Math.ceil((farthestM * MARGIN) / STEP_M) * STEP_M;
  return Math.min(Math.max(neededM, LEAST_AROUND_M), radiusM);
}

/** A parcel with what lies in it. */
export function drawingOfArea(geometry: AreaGeometry, body: MapBody, shown: Shown): Drawing {
  return { styleOf: areaStyle(geometry, { body, shown }), bounds: boundsOf(polygonsOf(geometry).flat(2), 0.25) };
}

/** An empty map with known places, to choose a point on. `around`: an earlier answer, whose features help where no other map is beneath. */
export function drawingToChoose(places: readonly KnownPlace[], around: Body | null): Drawing {
  const rings = places.flatMap((place) => circle(place, LEAST_AROUND_M));
  return { styleOf: choosingStyle(places, around), bounds: rings.length > 0 ? boundsOf(rings) : ONTARIO, places };
}

/** `around`: share of the height and width to leave on each side. */
function boundsOf(positions: readonly Position[], around: number = 0): Bounds {
  const span = (values: readonly number[]) => {
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const margin = (most - least) * around;
    return [least - margin, most + margin] as const;
  };
  const [west, east] = span(positions.map(([lon]) => lon));
  const [south, north] = span(positions.map(([, lat]) => lat));
  return [west, south, east, north];
}

/** A row of a batch: its outcome, or what it has of a layer. */
export type Point = { lat: number; lon: number; kind: keyof typeof looks };

/** The results of a batch: a point for each row that has a place, by outcome or by what it has of a layer. `towns`: named where no other map is beneath. */
export function drawingOfPoints(points: readonly Point[], towns: readonly KnownPlace[]): Drawing {
  const [west, south, east, north] = boundsOf(points.map(({ lat, lon }) => [lon, lat]));
  const corners = [
    { lat: south, lon: west },
    { lat: north, lon: east },
  ];
  const around = corners.flatMap((corner) => circle(corner, LEAST_AROUND_M));
  return { styleOf: pointsStyle(points, towns), bounds: boundsOf(around, 0.05) };
}

function pointsStyle(points: readonly Point[], towns: readonly KnownPlace[]) {
  const features = points.map(({ kind, ...at }) =>
    point(at, { ...looks[kind], order: Object.keys(looks).indexOf(kind) }),
  );
  const got = (name: string) => ['get', name];
  const paint = { radius: got('radius'), color: got('colour'), 'stroke-color': got('edge'), 'stroke-width': 1.5 };
  const layer = circles('results', 'results', paint, { layout: { 'circle-sort-key': got('order') } });
  const sources = { results: geojson(features), names: namesSource(towns) };
  return (look: Look) => styleWith(look, { sources, layers: [layer, ...namesLayers(look)] });
}
