/** The answer's geometry, ready to draw. */
import { aboutM2, metresPerDegree, nearestOnSegment, ringArea } from '../shared/ground.ts';
import type { AreaGeometry, Position } from '../shared/area.ts';
import type { FullLookupBody } from '../../src/messages/wire/full-lookup.ts';

type Place = { lat: number; lon: number };
type NearGeometry = NonNullable<FullLookupBody['geometry']>;
type NearFeature = NearGeometry['features'][number];
export type Geometry = { type: string; coordinates: unknown };
export type Feature = { type: string; geometry: Geometry; properties: Readonly<Record<string, unknown>> };

/** A part of an outline whose ends both lie this close to the clip circle is the cut, not an edge. */
const CUT_TOLERANCE = 0.006;

/** A ring around the place. */
export function circle({ lat, lon }: Place, radiusM: number): Position[] {
  const { north, east } = metresPerDegree(lat);
  return Array.from({ length: 97 }, (_, i) => {
    const turn = (i / 96) * 2 * Math.PI;
    return [lon + (radiusM / east) * Math.cos(turn), lat + (radiusM / north) * Math.sin(turn)];
  });
}

/** Of the circle around a place; its cut is not exact to a metre. */
const WHOLE_SHARE = 0.99;

/**
 * Where the data of a hazard do not reach, of those that reach somewhere around. That a hazard is known nowhere around stands on its card, and says nothing
 * about one place more than another.
 */
export function reachedInPart({ lat, lon, geometry }: Place & { geometry?: NearGeometry }) {
  const { notReached = [], radiusM = 0 } = geometry ?? {};
  const wholeM2 = ringArea(circle({ lat, lon }, radiusM));
  return notReached.filter(({ geometry }) => aboutM2(geometry as AreaGeometry) < WHOLE_SHARE * wholeM2);
}

/** The true edges of a feature: outlines without the cut that clipping made. */
export function edgesOf(feature: NearFeature, place: Place, radiusM: number): Position[][] {
  const isCut = (position: Position) => Math.abs(distanceM(place, position) - radiusM) < radiusM * CUT_TOLERANCE;
  return linesOf(feature.geometry).flatMap((line) => splitAtCuts(line, isCut));
}

/** A line from the place to the nearest edge of the nearest feature of each data set. `features`: nearest first. */
export function reachesOf(
  features: readonly NearFeature[],
  place: Place,
  radiusM: number,
): { dataSet: string; line: [Position, Position] }[] {
  const nearest = new Map([...features].reverse().map((feature) => [feature.properties.dataSet, feature]));
  return [...nearest].flatMap(([dataSet, feature]) => {
    const isPoint = feature.geometry.type.endsWith('Point');
    const edges = isPoint ? linesOf(feature.geometry) : edgesOf(feature, place, radiusM);
    const ends = edges.flatMap((edge) => edge.map((to, i) => nearestOnSegment(place, edge[i - 1] ?? to, to)));
    const [first = null] = ends;
    if (first === null) return [];
    const { at } = ends.reduce((best, end) => (end.metres < best.metres ? end : best), first);
    return [{ dataSet, line: [[place.lon, place.lat], at] }];
  });
}

/** The lines, rings or single points of a geometry. */
export function linesOf({ type, coordinates }: { type: string; coordinates: unknown }): Position[][] {
  switch (type) {
    case 'Point':
      return [[coordinates as Position]];
    case 'MultiPoint':
      return (coordinates as Position[]).map((position) => [position]);
    case 'LineString':
      return [coordinates as Position[]];
    case 'MultiLineString':
    case 'Polygon':
      return coordinates as Position[][];
    case 'MultiPolygon':
      return (coordinates as Position[][][]).flat();
    default:
      return [];
  }
}

function splitAtCuts(line: Position[], isCut: (position: Position) => boolean): Position[][] {
  const pieces: Position[][] = [];
  let piece: Position[] = [];
  line.forEach((position, i) => {
    const previous = line[i - 1];
    if (previous && isCut(previous) && isCut(position)) {
      if (piece.length > 1) pieces.push(piece);
      piece = [position];
    } else {
      piece.push(position);
    }
  });
  if (piece.length > 1) pieces.push(piece);
  return pieces;
}

function distanceM({ lat, lon }: Place, [x, y]: Position) {
  const { north, east } = metresPerDegree(lat);
  return Math.hypot((x - lon) * east, (y - lat) * north);
}

/** What the map's library takes. */
export const geojson = (features: readonly Feature[]) => ({
  type: 'geojson',
  data: { type: 'FeatureCollection', features },
});

export const featureOf = (type: string, coordinates: unknown, properties: Feature['properties'] = {}): Feature => ({
  type: 'Feature',
  properties,
  geometry: { type, coordinates },
});

export const polygon = (rings: readonly (readonly Position[])[]) => featureOf('Polygon', rings);

export const point = ({ lat, lon }: { lat: number; lon: number }, properties: Feature['properties'] = {}) =>
  featureOf('Point', [lon, lat], properties);
