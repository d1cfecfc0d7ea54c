import { fault } from '../../src/addresses/faults.ts';
import { distanceM } from '../../src/addresses/distance.ts';
import type { Reading } from '../../src/addresses/reading.ts';
import type { Fault } from '../../src/contract/geocode.ts';
import type { CivicPoint, Street } from './street-record.ts';

/** A known point of the civic number asked for, with what differs. */
export interface CivicMatch {
  readonly point: CivicPoint;
  /** Metres to the farthest other point of the same number that the address does not rule out. */
  readonly spreadM: number;
  readonly faults: readonly Fault[];
}

/**
 * The point of a civic number on a street, or null. Civic numbers are never corrected. Of several points the one with the unit asked for
 * counts, else the one with the postal code asked for, else the register's main one.
 */
export function matchCivic(reading: Reading, postalCode: string | null, street: Street): CivicMatch | null {
  const indices = street.indicesOf(reading.civic);
  if (indices.length === 0) return null;
  const points = indices.map((index) => ({ index, point: street.point(index) }));
  const { chosen, suffixFault, unit } = withSuffix(reading, points, street);
  if (chosen.length === 0) return null;
  const withUnit =
    unit === null ? [] : chosen.filter(({ index }) => street.unitsOf(index).some((label) => sameUnit(label, unit)));
  const unitFault =
    unit !== null && withUnit.length === 0 ? [fault('UNIT_UNKNOWN', `unit ${unit} is not in the register`)] : [];
  const among = withUnit.length > 0 ? withUnit : chosen;
  const samePostalCode = among.filter(({ point: { postalCode: code } }) => code !== null && code === postalCode);
  const possible = samePostalCode.length > 0 ? samePostalCode : among;
  const { point } = possible[0]!;
  const spreadM = Math.max(...possible.map((other) => distanceM(other.point, point)));
  return { point, spreadM, faults: [...suffixFault, ...unitFault, ...postalFaults(postalCode, point.postalCode)] };
}

interface Indexed {
  readonly index: number;
  readonly point: CivicPoint;
}

/** "108B" is 108 with suffix B, else unit B of 108, else 108. */
function withSuffix(
  { suffix, unit }: Reading,
  points: readonly Indexed[],
  street: Street,
): { chosen: readonly Indexed[]; suffixFault: Fault[]; unit: string | null } {
  const same = points.filter(({ point }) => point.suffix === suffix);
  if (same.length > 0) return { chosen: same, suffixFault: [], unit };
  const bare = points.filter(({ point }) => point.suffix === null);
  if (suffix === null)
    return {
      chosen: points,
      suffixFault: [fault('SUFFIX_UNKNOWN', 'the register knows this number with a letter only')],
      unit,
    };
  const asUnit = bare.some(({ index }) => street.unitsOf(index).some((label) => sameUnit(label, suffix)));
  if (asUnit) return { chosen: bare, suffixFault: [], unit: unit ?? suffix };
  return {
    chosen: bare,
    suffixFault: [fault('SUFFIX_UNKNOWN', `the register does not know the suffix ${suffix}`)],
    unit,
  };
}

function sameUnit(a: string, b: string): boolean {
  return unitKey(a) === unitKey(b);
}

function unitKey(label: string): string {
  return label.toUpperCase().replace(/[^A-Z0-9]/g, '');
}

/** Rows without a postal code are not contradicted by one. */
export function postalFaults(asked: string | null, known: string | null): Fault[] {
  if (asked === null || known === null || asked === known) return [];
  const detail = `the register has ${known}, not ${asked}`;
  if (asked.slice(0, 3) === known.slice(0, 3)) return [fault('POSTAL_CODE_DIFFERS', detail)];
  return [fault(asked[0] === known[0] ? 'POSTAL_AREA_DIFFERS' : 'POSTAL_DISTRICT_DIFFERS', detail)];
}
