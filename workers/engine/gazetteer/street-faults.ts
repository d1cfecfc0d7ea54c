import { fault } from '../../../src/addresses/faults.ts';
import type { StreetParts } from '../../../src/addresses/street-name.ts';
import { sameStreetType } from '../../../src/addresses/street-types.ts';
import type { Fault } from '../../../src/messages/wire/geocode.ts';
import type { Street } from './street-record.ts';

/**
 * Returns how the requested type and direction differ from a street's; null when it is another street, because
 * `siblings` has one with the requested type or direction.
 * @param siblings streets of the same name in the requested municipality.
 */
export function streetFaults(asked: StreetParts, street: Street, siblings: readonly Street[]): Fault[] | null {
  const type = typeFault(asked, street, siblings);
  const direction = directionFault(asked, street, siblings);
  if (type === null || direction === null) return null;
  return [...type, ...direction];
}

function typeFault({ key, type: asked }: StreetParts, { type }: Street, siblings: readonly Street[]): Fault[] | null {
  if (asked === type) return [];
  if (asked !== null && type !== null && sameStreetType(asked, type)) {
    return [fault('TYPE_IN_OTHER_LANGUAGE', `the register has ${type} for ${asked}`)];
  }
  // "7" alone says nothing: Highway 7, the 7th Line and 7th Avenue are three roads.
  if (/^\d/.test(key)) return null;
  if (asked === null) return [fault('TYPE_MISSING', `the street is of type ${type ?? ''}`)];
  if (siblings.some((other) => other.type !== null && sameStreetType(other.type, asked))) return null;
  return [fault('TYPE_DIFFERS', `the street is of type ${type ?? 'none'}, not ${asked}`)];
}

function directionFault(asked: StreetParts, street: Street, siblings: readonly Street[]): Fault[] | null {
  if (asked.direction === street.direction) return [];
  if (asked.direction === null) return [fault('DIRECTION_MISSING', `the street is ${street.direction ?? ''}`)];
  const sameType = siblings.filter((other) => other.type === street.type);
  if (sameType.some((other) => other.direction === asked.direction)) return null;
  return street.direction === null
    ? [fault('DIRECTION_EXTRA', `the street has no direction ${asked.direction}`)]
    : [fault('DIRECTION_DIFFERS', `the street is ${street.direction}, not ${asked.direction}`)];
}
