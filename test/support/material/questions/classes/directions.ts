/** Halves of a street, and which of them has the number. */
import { areOnePlace, isBetween, type KnownAddress } from '../known-address.ts';
import type { KnownRegister } from '../known-register.ts';
import { folded } from '../names.ts';
import { classOf } from '../question.ts';
import { lineOf, numberOf, officialOf, streetOf, townOf, truthOf } from '../written.ts';

const opposite: Readonly<Record<string, string>> = { N: 'S', S: 'N', E: 'W', W: 'E' };

const inFull: Readonly<Record<string, string>> = { N: 'North', S: 'South', E: 'East', W: 'West' };

/** The other half of the address's street, when it exists and the number lies beyond it. */
function otherHalf(address: KnownAddress, register: KnownRegister): string | null {
  const direction = opposite[address.direction];
  if (direction === undefined || !address.isServed) return null;
  const half = register
    .street(address.municipality, address.key)
    .filter((other) => other.type === address.type && other.direction === direction);
  return half.length === 0 || isBetween(address.civic, half) ? null : direction;
}

/** Whether a street of the name and type without any direction may have the number. */
function mayBeUndirected(address: KnownAddress, register: KnownRegister): boolean {
  return isBetween(
    address.civic,
    register.street(address.municipality, address.key).filter(({ direction }) => direction === ''),
  );
}

function typedStreet({ name, type }: KnownAddress): string {
  return streetOf({ name, type, direction: '' });
}

export const directions = [
  classOf(
    'A3 other half, direction first',
    '"366 S Main St": only Main St N has the number',
    'either',
    (address, _, register) => {
      const half = otherHalf(address, register);
      return half === null || mayBeUndirected(address, register)
        ? null
        : { text: `${address.civic} ${half} ${typedStreet(address)}, ${townOf(address)}, ON`, truth: null };
    },
  ),
  classOf(
    'A3 other half, direction behind',
    '"366 Main St S": only Main St N has the number',
    'either',
    (address, _, register) => {
      const half = otherHalf(address, register);
      return half === null || mayBeUndirected(address, register)
        ? null
        : { text: `${address.civic} ${typedStreet(address)} ${half}, ${townOf(address)}, ON`, truth: null };
    },
  ),
  classOf('A3 right half, direction first', '"366 N Main St"', 'found', (address, _, register) =>
    address.direction !== '' && address.suffix === '' && register.isPlain(address)
      ? {
          text: `${address.civic} ${address.direction} ${typedStreet(address)}, ${townOf(address)}, ON`,
          truth: truthOf(address),
        }
      : null,
  ),
  classOf(
    'A9 no direction, half removed',
    '"390 King St": the number was on King St W, which the geocoder knows without it',
    'either',
    (address, _, register) =>
      address.direction !== '' && !address.isServed && register.isUnique(address, 'without direction')
        ? { text: `${numberOf(address)} ${typedStreet(address)}, ${townOf(address)}, ON`, truth: truthOf(address) }
        : null,
  ),
  classOf(
    'A9 no direction, other half exists',
    '"390 King St": King St E has it, and there is a King St W as well',
    'either',
    (address, _, register) =>
      otherHalf(address, register) !== null && register.isPlain(address, 'without direction')
        ? { text: `${numberOf(address)} ${typedStreet(address)}, ${townOf(address)}, ON`, truth: truthOf(address) }
        : null,
  ),
  classOf(
    'A9 no direction, both halves',
    '"390 King St": King St E and King St W have it, and the geocoder may have the number on one of them',
    'either',
    (address, _, register) => {
      const halves = register
        .street(address.municipality, address.key)
        .filter(({ type, direction }) => type === address.type && direction === opposite[address.direction]);
      if (!halves.some(({ isServed }) => isServed) || !register.servesStreet(address)) return null;
      const other = halves.find(({ civic, suffix }) => civic === address.civic && suffix === address.suffix);
      return other !== undefined && !areOnePlace([...address.points, ...other.points])
        ? { text: `${numberOf(address)} ${typedStreet(address)}, ${townOf(address)}, ON`, truth: null }
        : null;
    },
  ),
  classOf(
    'A9 West Park St for Park St W',
    '"150 West Park St" has the number, Park St has not',
    'either',
    (address, _, register) => {
      const [, direction, rest] = /^(NORTH|SOUTH|EAST|WEST) (.+)$/.exec(folded(address.name)) ?? [];
      if (direction === undefined || rest === undefined || !address.isServed) return null;
      const others = register
        .street(address.municipality, address.key)
        .filter((other) => folded(other.name) === rest && other.type === address.type);
      if (others.length === 0 || isBetween(address.civic, others)) return null;
      const line = lineOf({ ...address, name: address.name.replace(/^\S+ /, ''), direction: direction.charAt(0) });
      return { text: `${line}, ${townOf(address)}, ON`, truth: null };
    },
  ),
  classOf('A9 West Park St itself', 'a name that begins with a direction', 'found', (address, _, register) =>
    /^(?:NORTH|SOUTH|EAST|WEST) /.test(folded(address.name)) && register.isPlain(address)
      ? { text: officialOf(address), truth: truthOf(address) }
      : null,
  ),
  classOf('full direction', '"366 Main Street North" in lower case', 'found', (address, _, register) =>
    inFull[address.direction] !== undefined && register.isPlain(address)
      ? {
          text: officialOf({ ...address, direction: inFull[address.direction]! }).toLowerCase(),
          truth: truthOf(address),
        }
      : null,
  ),
];
