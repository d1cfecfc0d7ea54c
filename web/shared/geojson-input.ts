/** The places in a GeoJSON text: outlines and points, and what else it has. */
import { isInOntarioBox } from '../../src/messages/lookup.ts';
import { areaOf, polygonsOf, type AreaGeometry, type Position } from './area.ts';

/** What a feature is called and has besides its geometry. `number`: of the feature in its file, from 1. */
export type Named = { number: number; id?: unknown; properties?: object | null };
export type Outline = Named & { geometry: AreaGeometry };
/** What can be asked for. */
export type Place = Outline | (Named & { lat: number; lon: number });
/** What is not asked for. `besides`: points and lines of a feature that has an outline too. `pictures`, `links`: of KML. */
export type LeftOut = 'lines' | 'noGeometry' | 'besides' | 'otherShapes' | 'pictures' | 'links';
export type Counts = Partial<Record<LeftOut, number>>;
/**
 * `places`: in the order of the file; of a feature with several points, each of them. `geometry`: all outlines together; null: there are none. `isPart`:
 * the file says that it is not whole. `isNad83`: its coordinates are in NAD83.
 */
export type FilePlaces = {
  places: Place[];
  outlines: Outline[];
  geometry: AreaGeometry | null;
  leftOut: Counts;
  isPart: boolean;
  isNad83: boolean;
};
export type InputFault =
  | ('notJson' | 'cutOff' | 'notGeojson' | 'esri' | 'serverError' | 'noFeatures' | 'otherCrs' | 'exchanged')
  | ('brokenOutline' | 'notNumbers' | 'notDegrees' | 'tooManyVertices');
export type Refused = { fault: InputFault; values?: Record<string, string | number> };

/** What a file may hold: anything, and at best GeoJSON. */
type Json = {
  type?: unknown;
  id?: unknown;
  properties?: object | null;
  coordinates?: unknown;
  geometry?: Json | null;
  features?: unknown;
  geometries?: unknown;
  crs?: unknown;
} | null;

export const geojsonTypes: ReadonlySet<unknown> = new Set([
  ...['FeatureCollection', 'Feature', 'GeometryCollection', 'Polygon', 'MultiPolygon'],
  ...['Point', 'MultiPoint', 'LineString', 'MultiLineString'],
]);

/** Of a file: reading more would stop the page for a while. */
export const MOST_BYTES = 5_000_000;

/** As the service takes. */
export const MOST_VERTICES = 5000;

/** Reads the outlines and points of a geometry, a feature or a collection, also of one object a line. */
export function placesIn(text: string): FilePlaces | Refused {
  const json = parsed(text);
  if (json === undefined) return { fault: /^\s*[[{]/.test(text) ? 'cutOff' : 'notJson' };
  const other = otherKind(json);
  if (other) return other;
  const members = membersOf(json);
  if (members.length === 0) return { fault: 'noFeatures' };
  const systems = [json, ...members, ...members.map(geometryOf)].flatMap(systemOf);
  const unknown = systems.find((one) => !WGS84.test(one) && !NAD83.test(one));
  if (unknown !== undefined) return { fault: 'otherCrs', values: { crs: unknown.slice(0, 80) } };
  const all = members.map((member) => partsOf(geometryOf(member)));
  const fault = faultOf(all);
  if (fault) return fault;
  const leftOut: Counts = {};
  const places = members.flatMap((member, i) =>
    placesOf({ number: i + 1, ...namedIn(member) }, all[i] ?? noParts(), leftOut),
  );
  const outlines = places.filter((place) => 'geometry' in place);
  const polygons = outlines.flatMap(({ geometry }) => polygonsOf(geometry));
  return {
    ...{ places, outlines, leftOut, isPart: isPart(json, members.length) },
    geometry: polygons.length > 0 ? areaOf(polygons) : null,
    isNad83: systems.some((one) => NAD83.test(one)),
  };
}

/** Whole numbers with so many digits may not fit into a number: an assessment roll number has 19. Their digits are kept as a text. */
const MANY_DIGITS = /^-?\d{16,}$/;

/** Older browsers do not tell how a number was written. */
const keepDigits = (_: string, value: unknown, context?: { source?: string }) =>
  typeof value === 'number' && MANY_DIGITS.test(context?.source ?? '') ? context?.source : value;

/** Undefined: it is no JSON, and no JSON object a line either (RFC 8142 has a sign before each). */
function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''), keepDigits) as Json;
  } catch {
    // oxlint-disable-next-line no-control-regex -- this sign is meant.
    const lines = text.split(/[\r\n\x1e\ufeff]+/).filter((line) => line.trim() !== '');
    try {
      const features = lines.map((line) => JSON.parse(line, keepDigits) as Json);
      const isGeojson = features.length > 0 && features.every((one) => geojsonTypes.has(one?.type));
      return isGeojson ? { type: 'FeatureCollection', features } : undefined;
    } catch {
      return undefined;
    }
  }
}

/** What JSON is that is no GeoJSON; null: it is GeoJSON. */
function otherKind(json: Json): Refused | null {
  const { type, features, error } = Object(json) as NonNullable<Json> & {
    error?: { code?: unknown; message?: unknown };
  };
  if (type === 'FeatureCollection' ? Array.isArray(features) : geojsonTypes.has(type)) return null;
  if (error && typeof error === 'object')
    return { fault: 'serverError', values: { detail: [error.code, error.message].filter(Boolean).join(' ') } };
  const isEsri = ['rings', 'spatialReference', 'geometryType'].some((name) => name in Object(json));
  return { fault: isEsri ? 'esri' : 'notGeojson' };
}

/** The features of a collection, or the only one. */
function membersOf(json: Json): Json[] {
  const members =
    json?.type === 'FeatureCollection' ? json.features : json?.type === 'GeometryCollection' ? json.geometries : null;
  return Array.isArray(members) ? (members as Json[]).flatMap(membersOf) : [json];
}

const geometryOf = (member: Json): Json => (member?.type === 'Feature' ? (member.geometry ?? null) : member);

/** Names of coordinate systems, by the member `crs` of older files. Null in it says nothing. */
function systemOf(json: Json): string[] {
  const { crs } = json ?? {};
  if (crs === undefined || crs === null) return [];
  const { type, properties } = Object(crs) as { type?: unknown; properties?: Record<string, unknown> };
  const { name, code, href } = properties ?? {};
  const named = [crs, name, code, href, type].find((one) => typeof one === 'string' || typeof one === 'number');
  return [String(named ?? '?')];
}

/** As a name, as a number of EPSG, and as an address of the OGC; with heights, too. */
const WGS84 = /(?:\bCRS:?84h?|(?:^|EPSG[/:#.\w]*[/:#])(?:4326|4979)|^WGS ?_?(?:19)?84)$/i;

/** Also all versions of NAD83(CSRS). Both count as WGS 84, as everywhere in the service. */
const NAD83 =
  /(?:\bCRS:?83|(?:^|EPSG[/:#.\w]*[/:#])(?:4269|4617|4955|8232|8237|8240|8246|8249|8252|8255|10414)|^NAD ?_?(?:19)?83(?: ?\(CSRS\))?)$/i;

/** Whether a file says itself that it has not all that was asked for, as servers of maps do. */
function isPart(json: Json, count: number) {
  const { exceededTransferLimit, properties, numberMatched, totalFeatures, links } = Object(json) as Record<
    string,
    unknown
  >;
  const { exceededTransferLimit: within } = Object(properties) as Record<string, unknown>;
  return (
    exceededTransferLimit === true ||
    within === true ||
    [numberMatched, totalFeatures].some((total) => typeof total === 'number' && total > count) ||
    (Array.isArray(links) && links.some((link) => (Object(link) as { rel?: unknown }).rel === 'next'))
  );
}

/** What a geometry consists of. `lines` and `others` are counted alone. */
type Parts = { polygons: Position[][][]; points: Position[]; lines: number; others: number };
const noParts = (): Parts => ({ polygons: [], points: [], lines: 0, others: 0 });

/** Coordinates that are an empty list stand for no geometry. */
const isSome = (coordinates: unknown) => !Array.isArray(coordinates) || coordinates.length > 0;
const listOf = (coordinates: unknown) => (Array.isArray(coordinates) ? coordinates : [coordinates]) as unknown[];

const partsByType: Readonly<Record<string, (coordinates: unknown) => Partial<Parts>>> = {
  Polygon: (coordinates) => ({ polygons: [coordinates].filter(isSome) as Position[][][] }),
  MultiPolygon: (coordinates) => ({ polygons: listOf(coordinates).filter(isSome) as Position[][][] }),
  Point: (coordinates) => ({ points: [coordinates].filter(isSome) as Position[] }),
  MultiPoint: (coordinates) => ({ points: listOf(coordinates).filter(isSome) as Position[] }),
  LineString: (coordinates) => ({ lines: isSome(coordinates) ? 1 : 0 }),
  MultiLineString: (coordinates) => ({ lines: isSome(coordinates) ? 1 : 0 }),
};

function partsOf(geometry: Json): Parts {
  const { type, coordinates, geometries } = geometry ?? {};
  if (type === 'GeometryCollection')
    return together((Array.isArray(geometries) ? (geometries as Json[]) : []).map(partsOf));
  const read = typeof type === 'string' && Object.hasOwn(partsByType, type) ? partsByType[type] : undefined;
  return { ...noParts(), ...(read?.(coordinates) ?? { others: type === undefined ? 0 : 1 }) };
}

const together = (parts: Parts[]): Parts => ({
  polygons: parts.flatMap(({ polygons }) => polygons),
  points: parts.flatMap(({ points }) => points),
  lines: parts.reduce((sum, { lines }) => sum + lines, 0),
  others: parts.reduce((sum, { others }) => sum + others, 0),
});

/** What is wrong with the first feature that cannot be asked for as it is. */
function faultOf(all: Parts[]): Refused | null {
  const shape = firstFault(all, ({ polygons, points }) => shapeFault(polygons) ?? numbersFault(points));
  if (shape) return shape;
  const positions = all.map(({ polygons, points }) => [...points, ...polygons.flat(2)]);
  const isSome = positions.some(({ length }) => length > 0);
  if (isSome && positions.every((own) => own.every(([lon, lat]) => isInOntarioBox(lat, lon))))
    return { fault: 'exchanged' };
  const isDegrees = ([lon, lat]: Position) => Math.abs(lon) <= 180 && Math.abs(lat) <= 90;
  return (
    firstFault(positions, (own) => (own.every(isDegrees) ? null : 'notDegrees')) ??
    firstFault(all, ({ polygons }) => (polygons.flat(2).length > MOST_VERTICES ? 'tooManyVertices' : null))
  );
}

function firstFault<One>(all: One[], faultIn: (one: One) => InputFault | null): Refused | null {
  for (const [i, one] of all.entries()) {
    const fault = faultIn(one);
    if (fault) return { fault, values: { number: i + 1 } };
  }
  return null;
}

function shapeFault(polygons: unknown[]): InputFault | null {
  const isRing = (ring: unknown) => Array.isArray(ring) && ring.length >= 4;
  const isWhole = (polygon: unknown) => Array.isArray(polygon) && polygon.length > 0 && polygon.every(isRing);
  return polygons.every(isWhole) ? numbersFault(polygons.flat(2)) : 'brokenOutline';
}

const numbersFault = (positions: unknown[]): InputFault | null =>
  positions.every((one) => Array.isArray(one) && one.length >= 2 && one.slice(0, 2).every(Number.isFinite))
    ? null
    : 'notNumbers';

/** What of a feature can be asked for. Counts the rest. */
function placesOf(named: Named, { polygons, points, lines, others }: Parts, leftOut: Counts): Place[] {
  const leave = (kind: LeftOut, count: number) => {
    if (count > 0) leftOut[kind] = (leftOut[kind] ?? 0) + count;
  };
  if (polygons.length > 0) {
    leave('besides', points.length + lines + others);
    return [{ ...named, geometry: areaOf(inPlane(polygons)) }];
  }
  leave('lines', lines);
  leave('otherShapes', others);
  if (points.length + lines + others === 0) leave('noGeometry', 1);
  return points.map(([lon, lat]) => ({ ...named, lat, lon }));
}

function namedIn(json: Json): Omit<Named, 'number'> {
  const { id, properties } = json ?? {};
  return { ...(id === undefined ? {} : { id }), ...(properties ? { properties } : {}) };
}

/** Without heights. */
const inPlane = (polygons: Position[][][]): Position[][][] =>
  polygons.map((rings) => rings.map((ring) => ring.map(([lon, lat]) => [lon, lat])));
