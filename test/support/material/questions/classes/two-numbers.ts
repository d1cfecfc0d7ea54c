/** Two numbers before the street: a unit and its number, a range, or two addresses. */
import { areOnePlace, isApart, isSameStreet, type KnownAddress } from '../known-address.ts';
import type { KnownRegister } from '../known-register.ts';
import { classOf, oneOf, type Question, type QuestionClass, type Random } from '../question.ts';
import { streetOf, townOf, truthOf } from '../written.ts';

/** Signs and words between two numbers. */
const signs: Readonly<Record<string, readonly string[]>> = {
  'a hyphen': ['-', ' - ', '–'],
  'a slash': ['/', ' / '],
  'a comma': [', ', ','],
  'a semicolon': ['; ', ';'],
  'a plus': ['+', ' + '],
  'a blank': [' '],
  to: [' to ', ' through ', ' à ', ' to, ', ' or '],
  and: [' and ', ' & ', ' et ', ' and, '],
};

const FAR_M = 300;
const TWO_PLACES_M = 2000;
const MOST_UNIT = 60;

/** Numbers of the countryside have six digits, which no unit has. */
const MOST_OF_UNITS = 9999;

function tailOf(address: KnownAddress): string {
  return `${streetOf(address)}, ${townOf(address)}, ON`;
}

/** The other numbers of the street that the geocoder has. */
function othersOf(address: KnownAddress, register: KnownRegister): readonly KnownAddress[] {
  return register
    .street(address.municipality, address.key)
    .filter(
      (other) =>
        other.isServed &&
        other.suffix === '' &&
        isSameStreet(other, address) &&
        other.municipality === address.municipality,
    );
}

/** Whether any street that the name may mean in the town has the number. */
function isNumber({ municipality, key }: KnownAddress, civic: number, register: KnownRegister): boolean {
  return register.street(municipality, key).some((other) => other.civic === civic);
}

/** The next higher number, when it is of the same street. */
function next(address: KnownAddress, register: KnownRegister): KnownAddress | undefined {
  const least = register
    .street(address.municipality, address.key)
    .filter(({ civic, isServed }) => isServed && civic > address.civic)
    .reduce<KnownAddress | undefined>((low, other) => (low && low.civic <= other.civic ? low : other), undefined);
  return least === undefined ? undefined : othersOf(address, register).find((other) => other === least);
}

function plainNumber(address: KnownAddress, register: KnownRegister): boolean {
  return address.suffix === '' && register.isPlain(address);
}

/** Both points must lie within what the answer says. */
function pairOf(name: string, texts: readonly string[], isTurned: boolean): QuestionClass {
  const order = isTurned ? 'the higher first' : 'the lower first';
  return classOf(
    `two numbers with ${name}, ${order}`,
    '"141, 346 Bayview Dr": the register has both, and the answer must hold for both',
    'either',
    (address, random, register): Question | null => {
      const other = next(address, register);
      if (other === undefined || !plainNumber(address, register) || !register.isPlain(other)) return null;
      const [a, b] = isTurned ? [other, address] : [address, other];
      // "12 345" may be 12345, and "5/8" a half.
      if (/^ $/.test(texts[0]!) && isNumber(address, Number(`${a.civic}${b.civic}`), register)) return null;
      if (name === 'a slash' && b.civic < 10) return null;
      return {
        text: `${a.civic}${oneOf(random, texts)}${b.civic} ${tailOf(address)}`,
        truth: { ...truthOf(address, other), isAll: true },
      };
    },
  );
}

const pairs = Object.entries(signs).flatMap(([name, texts]) => [pairOf(name, texts, false), pairOf(name, texts, true)]);

/** The same where both are in one building or beside each other, so that no answer but a refusal is wrong. */
const nearPairs = Object.entries(signs).map(([name, texts]) =>
  classOf(
    `way: two near numbers with ${name}`,
    'the register has both, next to each other',
    'found',
    (address, random, register) => {
      const other = next(address, register);
      if (other === undefined || !plainNumber(address, register) || !register.isPlain(other)) return null;
      if (!areOnePlace([...address.points, ...other.points])) return null;
      if (name === 'a blank' && isNumber(address, Number(`${address.civic}${other.civic}`), register)) return null;
      if (name === 'a slash' && other.civic < 10) return null;
      return {
        text: `${address.civic}${oneOf(random, texts)}${other.civic} ${tailOf(address)}`,
        truth: { ...truthOf(address, other), isAll: true },
      };
    },
  ),
);

const unitSigns: Readonly<Record<string, readonly string[]>> = {
  'a hyphen': ['-', ' - '],
  'a comma': [', '],
  'a blank': [' '],
};

/** A unit that is no number of the street. */
function unitOf(address: KnownAddress, register: KnownRegister, random: Random, isGreater: boolean): number | null {
  const unit = isGreater ? address.civic + 1 + Math.floor(random() * MOST_UNIT) : 1 + Math.floor(random() * MOST_UNIT);
  return (isGreater || unit < address.civic) && !isNumber(address, unit, register) ? unit : null;
}

const units = Object.entries(unitSigns).flatMap(([name, texts]) =>
  [true, false].map((isGreater) =>
    classOf(
      `way: unit with ${name}, ${isGreater ? 'greater' : 'less'} than the number`,
      '"37-16 Allensgate Dr": only 16 is a number of the street',
      'found',
      (address, random, register) => {
        if (!plainNumber(address, register)) return null;
        const unit = unitOf(address, register, random, isGreater);
        if (unit === null || unit > MOST_OF_UNITS) return null;
        const joined = Number(`${unit}${address.civic}`);
        // "5 680" may be 5680.
        if (name === 'a blank' && isNumber(address, joined, register)) return null;
        return { text: `${unit}${oneOf(random, texts)}${address.civic} ${tailOf(address)}`, truth: truthOf(address) };
      },
    ),
  ),
);

export const twoNumbers: readonly QuestionClass[] = [
  ...pairs,
  ...nearPairs,
  ...units,
  classOf(
    'way: unit-number, the unit a far number of the street',
    '"25-65 Acheson Blvd": both are numbers, with others between',
    'found',
    (address, random, register) => {
      if (!plainNumber(address, register)) return null;
      const far = othersOf(address, register).filter(
        (other) =>
          other.civic < address.civic - 50 &&
          isApart(other, address, FAR_M) &&
          othersOf(address, register).some(({ civic }) => civic > other.civic && civic < address.civic),
      );
      return far.length === 0
        ? null
        : { text: `${oneOf(random, far).civic}-${address.civic} ${tailOf(address)}`, truth: truthOf(address) };
    },
  ),
  classOf(
    'unit-number, the unit a number of the street and the number not',
    '"25-65 Acheson Blvd": the geocoder has 25 and lacks 65',
    'either',
    (address, random, register) => {
      if (address.isServed || address.suffix !== '' || !register.isUnique(address)) return null;
      const less = othersOf(address, register).filter(({ civic }) => civic < address.civic);
      return less.length === 0
        ? null
        : { text: `${oneOf(random, less).civic}-${address.civic} ${tailOf(address)}`, truth: truthOf(address) };
    },
  ),
  classOf(
    'range whose upper number the geocoder lacks',
    '"98-114 Marclen Dr": the answer holds for both',
    'either',
    (address, random, register) => {
      if (address.isServed || address.suffix !== '' || !register.isUnique(address)) return null;
      const less = othersOf(address, register).filter(
        ({ civic }) => civic < address.civic && address.civic - civic <= 50 && (address.civic - civic) % 2 === 0,
      );
      if (less.length === 0) return null;
      const lower = oneOf(random, less);
      const sign = oneOf(random, ['-', ' to ', ' & ', ', ']);
      return {
        text: `${lower.civic}${sign}${address.civic} ${tailOf(address)}`,
        // With a comma, the first may be the unit of the second.
        truth: sign === ', ' ? truthOf(address) : { ...truthOf(address, lower), isAll: true },
      };
    },
  ),
  classOf(
    'two numbers on two streets of one name',
    '"141, 346 Bayview Dr, Ottawa": 29 km apart',
    'either',
    (address, random, register) => {
      if (!plainNumber(address, register)) return null;
      const far = register
        .street(address.municipality, address.key)
        .filter(
          (other) => other.municipality === address.municipality && register.isPlain(other) && other.suffix === '',
        )
        .filter((other) => isSameStreet(other, address))
        .filter((other) => isApart(other, address, TWO_PLACES_M) && other.civic < address.civic);
      if (far.length === 0) return null;
      const other = oneOf(random, far);
      return {
        text: `${other.civic}${oneOf(random, [', ', '; ', '+', ' & ', ' to '])}${address.civic} ${tailOf(address)}`,
        truth: { ...truthOf(address, other), isAll: true },
      };
    },
  ),
];
