import type { ReadArea } from '../../../messages/lookup.ts';
import { fail, type Failure, type Outcome } from '../../../messages/outcome.ts';
import { AppError, cutDetail } from '../../../messages/problems.ts';
import type { RequestReason } from '../../../messages/reasons.ts';
import { addressFault } from '../../../messages/wire/lookup.ts';
import { pointOf } from './point-of.ts';
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
