import { type ReadArea, type Coordinate, isInOntarioBox } from '../../../messages/lookup.ts';
import { fail, type Failure, type Outcome } from '../../../messages/outcome.ts';
import { AppError, cutDetail, cutShort } from '../../../messages/problems.ts';
import type { RequestReason } from '../../../messages/reasons.ts';
import { addressFault } from '../../../messages/wire/lookup.ts';
import type { RowPlace } from './row.ts';

/**
 * Returns the place that a row names: its area, its address, or its coordinates when it has no address.
 * @param readArea null: nothing here looks up areas.
 * A column that the file does not have is undefined.
 */
export function placeOf(
  { address, lat, lon, geometry, coordinates }: Readonly<Partial<Record<Member, unknown>>>,
  readArea: ReadArea | null,
): Outcome<RowPlace> {
  const hasPoint = !isBlank(lat) || !isBlank(lon);
  if (!isBlank(geometry)) {
    if (readArea === null) return badRow(NO_AREAS, '/geometry');
    if (hasPoint || !isBlank(address)) return badRow('the row has a geometry and another place: send them as two rows');
    return areaPlace(geometry, readArea);
  }
  if (!isBlank(address)) return addressPlace(address);
  if (hasPoint) return pointPlace(lat, lon);
  if (coordinates !== undefined) return badRow('the row is a geometry of GeoJSON: send it as {"geometry": …}');
  return badRow(address === undefined ? 'the row needs "address", or "lat" and "lon"' : 'address must not be blank');
}

type Member = 'address' | 'lat' | 'lon' | 'geometry' | 'coordinates';

/** A row that names no place. `param`: the member or the column, as a JSON pointer. */
export function badRow(detail: string, param = ''): Failure {
  return fail('BAD_REQUEST', cutDetail(detail), { reason: 'INVALID' satisfies RequestReason, param });
}

const NO_AREAS = 'the row must not have the member "geometry": no areas are looked up here, send an address or a point';

const POINT_AS_AREA =
  'geometry.type must be Polygon or MultiPolygon: a line or a point has no area; send a point as "lat" and "lon"';

function areaPlace(geometry: unknown, readArea: ReadArea): Outcome<RowPlace> {
  if ((geometry as { readonly type?: unknown }).type === 'Point') return badRow(POINT_AS_AREA, '/geometry/type');
  try {
    return { ok: true, value: { kind: 'area', ...readArea({ geometry }, 'the row') } };
  } catch (cause) {
    if (cause instanceof AppError) return fail(cause.code, cause.message, cause.extras);
    throw cause;
  }
}

function addressPlace(address: unknown): Outcome<RowPlace> {
  if (typeof address !== 'string') return badRow('address must be a text', '/address');
  if (address.includes('\ufffd')) {
    return badRow('address holds U+FFFD, which stands for a lost character: correct it', '/address');
  }
  const fault = addressFault(address);
  return fault === null ? { ok: true, value: { kind: 'address', address } } : badRow(fault, '/address');
}

function pointPlace(lat: unknown, lon: unknown): Outcome<RowPlace> {
  const point = pointOf(lat, lon);
  return 'detail' in point
    ? badRow(point.detail, point.param)
    : { ok: true, value: { kind: 'point', lat: point.lat, lon: point.lon } };
}

function isBlank(member: unknown): boolean {
  return member === undefined || member === null || (typeof member === 'string' && member.trim() === '');
}

const LIMITS = { lat: 90, lon: 180 } as const;
type Name = keyof typeof LIMITS;

/** Reads the point of a row, each part a number or a text; otherwise says what is wrong, as its writer would call it. */
function pointOf(
  lat: unknown,
  lon: unknown,
): Coordinate | { readonly detail: string; readonly param: '/lat' | '/lon' } {
  const point = { lat: numberOf(lat), lon: numberOf(lon) };
  const given = { lat, lon };
  for (const name of ['lat', 'lon'] as const) {
    const read = point[name];
    const cause = typeof read === 'string' ? read : Math.abs(read) > LIMITS[name] ? beyond(name, point) : null;
    if (cause !== null) return { detail: `${named(name, given[name])} ${cause}: ${WANTED}`, param: `/${name}` };
  }
  return point as Coordinate;
}

const WANTED = 'lat and lon must be WGS84 decimal degrees, such as 44.1 and -79.4';

function named(name: Name, value: unknown): string {
  const isShown = Number.isFinite(value) || (typeof value === 'string' && value.trim() !== '');
  return isShown ? `${name} ${JSON.stringify(typeof value === 'string' ? cutShort(value) : value)}` : name;
}

/** Plain decimals only: Number() would also take '0x10' and 'Infinity'. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

/** What texts have in place of a decimal number, the surest first. */
const OTHER_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/^$/, 'is blank, and the other one is not'],
  [/^[+-]?(?:\d{1,2}|1[0-7]\d),\d+$/, 'has a decimal comma, not a point'],
  [/^[\u2010-\u2015\u2212]\s*[\d.]+$/, 'begins with another sign than the minus "-" of keyboards'],
  [/^[+-]?[\d.]+e[+-]?\d+$/i, 'is in scientific notation'],
  [/^[+-]?\d{1,3}(?:[,' \u00a0\u2009\u202f]\d{3})+(?:\.\d+)?$/, 'has signs between its thousands, and is in metres'],
  [/^[+-]?\d+\.\d+\s*[,;/\s]\s*[+-]?\d+\.\d+$/, 'holds two numbers'],
  [/^[NSEWO\s+-]*\d+[°ºd\s:-]+\d/i, 'is in degrees and minutes'],
  [/^[NSEWO\s]*[+-]?[\d.,]+\s*[°º]?\s*[NSEWO]*\s*$/i, 'has a sign or a letter behind or before its number'],
];

/** Returns the number, otherwise what the member is. */
function numberOf(member: unknown): number | string {
  // As 1e400 is read.
  if (typeof member === 'number') return Number.isFinite(member) ? member : 'is larger than any number';
  if (member === undefined || member === null) return 'is missing, and the other one is there';
  if (typeof member !== 'string') return 'is no number';
  const text = member.trim();
  if (DECIMAL.test(text)) return Number(text);
  return OTHER_TEXTS.find(([pattern]) => pattern.test(text))?.[1] ?? 'is no number';
}

/** Degrees of a full turn: larger numbers are of another kind. */
const TURN = 360;

function beyond(name: Name, { lat, lon }: Readonly<Record<Name, number | string>>): string {
  if (Math.abs(Number(lat)) > TURN || Math.abs(Number(lon)) > TURN)
    return 'is no degree, and may be in metres (UTM or another grid): convert it';
  if (isInOntarioBox(Number(lat), Number(lon))) return 'is exchanged with the other one';
  return `is beyond -${LIMITS[name]} to ${LIMITS[name]}`;
}
