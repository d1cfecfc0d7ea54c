/** The parcel in a GeoJSON text. */
import { ringArea } from './ground.ts';

export type Position = [number, number];
export type AreaGeometry =
  | { type: 'Polygon'; coordinates: Position[][] }
  | { type: 'MultiPolygon'; coordinates: Position[][][] };
type InputFault = 'notJson' | 'noPolygon' | 'notDegrees' | 'otherCrs' | 'tooManyVertices';
/** What a feature is called and has besides its geometry. */
export type Named = { id?: unknown; properties?: object | null };
/** `geometry`: all of it. `outlines`: of each feature. */
export type Parcel = { geometry: AreaGeometry; outlines: (Named & { geometry: AreaGeometry })[] };
type ParcelInput = Parcel | { fault: InputFault };

/** What a file may hold: anything, and at best GeoJSON. */
type Json =
  | {
      type?: string;
      id?: unknown;
      properties?: object | null;
      coordinates?: unknown;
      geometry?: Json;
      features?: unknown;
      geometries?: unknown;
      crs?: { properties?: { name?: string | number } };
    }
  | null
  | undefined;

/** As the service takes. */
export const MOST_VERTICES = 5000;

/** Names of WGS 84 in the member `crs` of older files. */
const WGS84 = /CRS:?:?84$|EPSG:?:?4326$/i;

/** Reads the polygons of a geometry, a feature or a collection. */
export function parcelIn(text: string): ParcelInput {
  let json: Json;
  try {
    json = parsed(text);
  } catch {
    return { fault: 'notJson' };
  }
  const crs = json?.crs?.properties?.name;
  if (crs !== undefined && !WGS84.test(String(crs))) return { fault: 'otherCrs' };
  const members = membersOf(json)
    .map((member) => ({ named: namedIn(member), own: polygonsIn(member) }))
    .filter(({ own }) => own.length > 0);
  const polygons = members.flatMap(({ own }) => own);
  if (polygons.length === 0 || !polygons.every(isPolygon)) return { fault: 'noPolygon' };
  const positions = polygons.flat(2);
  if (!positions.every(([lon, lat]) => Math.abs(lon) <= 180 && Math.abs(lat) <= 90)) return { fault: 'notDegrees' };
  if (positions.length > MOST_VERTICES) return { fault: 'tooManyVertices' };
  return {
    geometry: areaOf(inPlane(polygons)),
    outlines: members.map(({ named, own }) => ({ ...named, geometry: areaOf(inPlane(own)) })),
  };
}

/** Whole numbers with so many digits may not fit into a number: an assessment roll number has 19. Their digits are kept as a text. */
const MANY_DIGITS = /^-?\d{16,}$/;

/** Older browsers do not tell how a number was written. */
function parsed(text: string): Json {
  const keepDigits = (_: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && MANY_DIGITS.test(context?.source ?? '') ? context?.source : value;
  return JSON.parse(text, keepDigits) as Json;
}

/** The points of the features, where they are points alone; none where a file has anything else in it, or other coordinates. */
export function pointsIn(text: string): (Named & { lat: number; lon: number })[] {
  let json: Json;
  try {
    json = parsed(text);
  } catch {
    return [];
  }
  const crs = json?.crs?.properties?.name;
  if (crs !== undefined && !WGS84.test(String(crs))) return [];
  const members = membersOf(json);
  const points = members.flatMap((member) => {
    const { type, coordinates } = (member?.type === 'Feature' ? member.geometry : member) ?? {};
    if (type !== 'Point' || !isPosition(coordinates)) return [];
    const [lon, lat] = coordinates as Position;
    return Math.abs(lon) <= 180 && Math.abs(lat) <= 90 ? [{ ...namedIn(member), lat, lon }] : [];
  });
  return points.length === members.length ? points : [];
}

function namedIn(json: Json): Named {
  const { id, properties } = json ?? {};
  return { ...(id === undefined ? {} : { id }), ...(properties ? { properties } : {}) };
}

/** Without heights. */
const inPlane = (polygons: Position[][][]): Position[][][] =>
  polygons.map((rings) => rings.map((ring) => ring.map(([lon, lat]) => [lon, lat])));

/** The features of a collection, or the only one. */
function membersOf(json: Json): Json[] {
  const members =
    json?.type === 'FeatureCollection' ? json.features : json?.type === 'GeometryCollection' ? json.geometries : null;
  return Array.isArray(members) ? (members as Json[]).flatMap(membersOf) : [json];
}

export function areaOf(polygons: Position[][][]): AreaGeometry {
  const [only] = polygons;
  return only && polygons.length === 1
    ? { type: 'Polygon', coordinates: only }
    : { type: 'MultiPolygon', coordinates: polygons };
}

export const polygonsOf = ({ type, coordinates }: AreaGeometry): Position[][][] =>
  type === 'Polygon' ? [coordinates] : coordinates;

function polygonsIn(json: Json): Position[][][] {
  switch (json?.type) {
    case 'Polygon':
      return [json.coordinates as Position[][]];
    case 'MultiPolygon':
      return Array.isArray(json.coordinates) ? (json.coordinates as Position[][][]) : [];
    case 'Feature':
      return polygonsIn(json.geometry);
    case 'GeometryCollection':
      return Array.isArray(json.geometries) ? (json.geometries as Json[]).flatMap(polygonsIn) : [];
    default:
      return [];
  }
}

function isPolygon(rings: unknown) {
  return (
    Array.isArray(rings) &&
    rings.length > 0 &&
    rings.every((ring) => Array.isArray(ring) && ring.length >= 4 && ring.every(isPosition))
  );
}

function isPosition(position: unknown) {
  return Array.isArray(position) && position.length >= 2 && position.slice(0, 2).every(Number.isFinite);
}

/** About how large an area is on the ground, in square metres. */
export function aboutM2(geometry: AreaGeometry) {
  const areaOfRings = ([outer = [], ...holes]: Position[][]) =>
    holes.reduce((left, hole) => left - ringArea(hole), ringArea(outer));
  return polygonsOf(geometry).reduce((sum, rings) => sum + areaOfRings(rings), 0);
}
