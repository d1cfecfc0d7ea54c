/** What the map can show: an answer, a parcel, rows of a batch, known places to choose a point by. */
import { polygonsOf, type AreaGeometry, type Position } from '../shared/geojson-input.ts';
import { answerStyle, choosingStyle, type Base, type MapBody, type Style } from './map-style.ts';
import { circle } from './near-features.ts';
import { areaStyle } from './parcel-style.ts';
import type { Body } from '../shared/api.ts';

/** West, south, east, north. */
export type Bounds = readonly [number, number, number, number];
export type KnownPlace = { text: string; lat: number; lon: number };
/** `off`: data sets that are switched off. `places`: those that are named. */
export type Drawing = {
  styleOf: (base: Base) => Style;
  bounds: Bounds;
  off?: ReadonlySet<string>;
  places?: readonly KnownPlace[];
};

/** Ontario. */
const ONTARIO: Bounds = [-95.2, 41.6, -74.3, 56.9];

/** Known places are shown with at least so much around them, in metres. */
const LEAST_AROUND_M = 250;

/** An answer with the data sets that are switched on at first. */
export function drawingOfAnswer(body: Body, shown: ReadonlySet<string>): Drawing {
  const ring = circle(body, body.geometry?.radiusM ?? 1000);
  const styleOf = (base: Base) => answerStyle(body, { base, ring, shown });
  return { styleOf, bounds: boundsOf(ring), off: offIn(body, shown) };
}

/** A parcel with what lies in it. */
export function drawingOfArea(geometry: AreaGeometry, body: MapBody, shown: ReadonlySet<string>): Drawing {
  const styleOf = (base: Base) => areaStyle(geometry, { base, body, shown });
  return { styleOf, bounds: boundsOf(polygonsOf(geometry).flat(2), 0.25), off: offIn(body, shown) };
}

/** Something of the caller's, around these positions. */
export const drawingAround = (styleOf: (base: Base) => Style, around: readonly Position[]): Drawing => ({
  styleOf,
  bounds: boundsOf(around, 0.05),
});

/** An empty map with known places, to choose a point on. `around`: an earlier answer, whose features help where no other map is beneath. */
export function drawingToChoose(places: readonly KnownPlace[], around: Body | null): Drawing {
  const rings = places.flatMap((place) => circle(place, LEAST_AROUND_M));
  const styleOf = (base: Base) => choosingStyle(places, { base, around });
  return { styleOf, bounds: rings.length > 0 ? boundsOf(rings) : ONTARIO, places };
}

const offIn = (body: MapBody, shown: ReadonlySet<string>) =>
  new Set((body.geometry?.features ?? []).map(({ properties }) => properties.dataSet).filter((id) => !shown.has(id)));

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
