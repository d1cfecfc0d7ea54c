import { direction } from '../../../src/addresses/directions.ts';
import { tokenise } from '../../../src/addresses/tokens.ts';
import { fault } from '../../../src/addresses/faults.ts';
import { isOfCode } from '../../../src/addresses/postal-code.ts';
import { distanceM } from '../../../src/addresses/distance.ts';
import type { Reading } from '../../../src/addresses/reading.ts';
import type { Fault } from '../../../src/messages/wire/geocode.ts';
import type { CivicPoint, PlacedPoint } from './civic-block.ts';
import type { Street } from './street-record.ts';

/**
 * Finds the point of a civic number on a street, or null. Civic numbers are never corrected. Of several points it
 * chooses the one with the requested unit, otherwise the one with the requested postal code, otherwise the register's
 * main one. If the register has two streets whose names fold to one ("5 ST" and "Fifth ST"), points with the spelling
 * of the address come first, and the others count as well: who writes an address does not know how the register spells it.
 */
export function matchCivic(
  reading: Reading,
  postalCode: string | null,
  street: Street,
): {
  readonly point: CivicPoint;
  /** Metres to the farthest other point of the same number that the address does not exclude. */
  readonly spreadM: number;
  readonly faults: readonly Fault[];
} | null {
  const points = street.pointsOf(reading.civic);
  if (points.length === 0) return null;
  const { chosen: withAnySpelling, faults, unit } = withSuffix(reading, points, street);
  if (withAnySpelling.length === 0) return null;
  const chosen = asWritten(reading, withAnySpelling, street);
  const withUnit = unit === null ? null : street.withUnit(chosen, unit);
  const unitFaults = unit !== null && !withUnit ? [fault('UNIT_UNKNOWN', `unit ${unit} is not in the register`)] : [];
  const samePostalCode = chosen.filter((point) => isOfCode(point.postalCode, postalCode));
  const possible = withUnit ? [withUnit] : samePostalCode.length > 0 ? samePostalCode : chosen;
  const point = possible[0]!;
  const spreadM = possible.length === 1 ? 0 : Math.max(...possible.map((other) => distanceM(other, point)));
  return { point, spreadM, faults: [...faults, ...unitFaults, ...postalFaults(postalCode, point.postalCode)] };
}

/** Returns the points, those whose street the register spells like the address first. */
function asWritten(
  { written }: Reading,
  points: readonly PlacedPoint[],
  { spellings }: Street,
): readonly PlacedPoint[] {
  if (points.length === 1 || spellings.length === 1) return points;
  const text = ` ${written.join(' ')} `;
  const matches = spellings.map(({ name }) => text.includes(` ${tokenise(name).join(' ')} `));
  return [
    ...points.filter(({ spelling }) => matches[spelling]),
    ...points.filter(({ spelling }) => !matches[spelling]),
  ];
}

/** Reads "108B" as 108 with suffix B, otherwise as unit B of 108, otherwise as 108. */
function withSuffix(
  reading: Reading,
  points: readonly PlacedPoint[],
  street: Street,
): { readonly chosen: readonly PlacedPoint[]; readonly faults: readonly Fault[]; readonly unit: string | null } {
  const { suffix, unit, needsSuffix } = reading;
  const same = points.filter((point) => point.suffix === suffix);
  if (same.length > 0 || needsSuffix) return { chosen: same, faults: [], unit };
  if (suffix === null) {
    return {
      chosen: points,
      faults: [fault('SUFFIX_UNKNOWN', 'the register knows this number with a letter only')],
      unit,
    };
  }
  const bare = points.filter((point) => point.suffix === null);
  if (street.withUnit(bare, suffix)) return { chosen: bare, faults: [], unit: unit ?? suffix };
  // "29B" is a flat far more often than a misread 298.
  if ((suffix !== 'B' && hasDigit(reading, street)) || isOtherSide(reading, street))
    return { chosen: [], faults: [], unit };
  return { chosen: bare, faults: [fault('SUFFIX_UNKNOWN', `the register does not know the suffix ${suffix}`)], unit };
}

/** A row without a postal code contradicts no postal code. */
export function postalFaults(asked: string | null, known: string | null): Fault[] {
  if (asked === null || known === null || isOfCode(known, asked)) return [];
  const detail = `the register has ${known}, not ${asked}`;
  if (asked.slice(0, 3) === known.slice(0, 3)) return [fault('POSTAL_CODE_DIFFERS', detail)];
  return [fault(asked[0] === known[0] ? 'POSTAL_AREA_DIFFERS' : 'POSTAL_DISTRICT_DIFFERS', detail)];
}

/** Letters that are read or typed for a digit. O and I are no suffixes at all (`needsSuffix`). */
const digitOf: ReadonlyMap<string, number> = new Map(Object.entries({ S: 5, Z: 2, G: 6, B: 8, L: 1 }));

/** Says whether the street has the number with a digit for its letter: "29S" may be 295. */
export function hasDigit({ civic, suffix }: Reading, street: Street): boolean {
  const digit = digitOf.get(suffix ?? '');
  return digit !== undefined && street.pointsOf(civic * 10 + digit).length > 0;
}

/** Says whether the letter behind the number is a side on which the street is not: "125N Waterloo St" is not 125 Waterloo St S. */
export function isOtherSide({ suffix, typedStreet }: Reading, street: Street): boolean {
  const side = typedStreet.direction === null ? direction(suffix ?? '') : null;
  return side !== null && street.direction !== null && side !== street.direction;
}
