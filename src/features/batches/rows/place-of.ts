import type { Coordinate, ReadArea } from '../../../messages/lookup.ts';
import { parseCoordinate } from '../../../messages/coordinate.ts';
import { fail, type Failure, type Outcome } from '../../../messages/outcome.ts';
import { AppError, cutDetail } from '../../../messages/problems.ts';
import type { RequestReason } from '../../../messages/reasons.ts';
import { addressFault } from '../../../messages/wire/lookup-request.ts';
import type { RowPlace } from './row.ts';

/**
 * Returns the place that a row names: its area, its address, or its coordinates when it has no address.
 * @param readArea null: nothing here looks up areas.
 * A column that the file does not have is undefined.
 */
export function placeOf(
  { address, lat, lon, geometry }: { address?: unknown; lat?: unknown; lon?: unknown; geometry?: unknown },
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
  return badRow(address === undefined ? 'the row needs "address", or "lat" and "lon"' : 'address must not be blank');
}

/** A row that names no place. `param`: the member or the column, as a JSON pointer. */
export function badRow(detail: string, param = ''): Failure {
  return fail('BAD_REQUEST', cutDetail(detail), { reason: 'INVALID' satisfies RequestReason, param });
}

const NO_AREAS = 'the row must not have the member "geometry": no areas are looked up here, send an address or a point';

function areaPlace(geometry: unknown, readArea: ReadArea): Outcome<RowPlace> {
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
  const point = coordinateOf(lat, lon);
  if (point) return { ok: true, value: { kind: 'point', ...point } };
  return badRow('lat and lon must be WGS84 decimal degrees, such as 44.1 and -79.4', '/lat');
}

function coordinateOf(lat: unknown, lon: unknown): Coordinate | null {
  if (typeof lat === 'number' && typeof lon === 'number') {
    return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : null;
  }
  return typeof lat === 'string' && typeof lon === 'string' ? parseCoordinate(lat, lon) : null;
}

function isBlank(member: unknown): boolean {
  return member === undefined || member === null || (typeof member === 'string' && member.trim() === '');
}
