/** Roads that have a number instead of a name. */
import { isRoadWord } from '../counties.ts';
import { isBetween, type KnownAddress } from '../known-address.ts';
import type { KnownRegister } from '../known-register.ts';
import { folded, titled } from '../names.ts';
import { classOf, oneOf } from '../question.ts';
import { codeOf, numberOf, officialOf, streetOf, townOf, truthOf } from '../written.ts';

interface Kind {
  readonly words: RegExp;
  /** Ways to write a road with its number. */
  readonly write: (number: string) => readonly string[];
}

/** Kinds of numbered roads. Highways and county roads, which may be one road under two names, are one kind. */
const kinds: readonly Kind[] = [
  { words: /\b(?:CONC|CONCESSION|CON)\b/, write: (n) => [`Concession ${n}`, `Conc ${n}`, `Concession Road ${n}`] },
  { words: /\b(?:SIDERD|SIDEROAD)\b/, write: (n) => [`Sideroad ${n}`, `${ordinal(n)} Sideroad`] },
  { words: /\bLINE\b/, write: (n) => [`Line ${n}`, `${ordinal(n)} Line`] },
  { words: /\b(?:AVE|AV|AVENUE)\b/, write: (n) => [`${ordinal(n)} Ave`, `${ordinal(n)} Avenue`] },
  { words: /\b(?:ST|STREET)\b/, write: (n) => [`${ordinal(n)} St`, `${ordinal(n)} Street`] },
  { words: /\b(?:HWY|HIGHWAY|RD|ROAD|RTE|ROUTE)\b/, write: (n) => [`Highway ${n}`, `Hwy ${n}`, `County Road ${n}`] },
];

/** Kinds that a map divides into an eastern and a western half. */
const KINDS_WITH_HALVES = 3;

function ordinal(number: string): string {
  const ending = /1\d$/.test(number) ? 'th' : ({ 1: 'st', 2: 'nd', 3: 'rd' }[number.slice(-1)] ?? 'th');
  return `${number}${ending}`;
}

function kindOf({ name, type }: Pick<KnownAddress, 'name' | 'type'>): number {
  return kinds.findIndex(({ words }) => words.test(`${folded(name)} ${type}`));
}

/** The road's number, when the name is nothing but a number and the kind of road. */
function roadNumber({ name }: KnownAddress): string | null {
  return (
    /^(?:(?:CONCESSION|CONC|HIGHWAY|LINE|SIDEROAD|COUNTY ROAD|COUNTY RD|COUNTY|CONCESSION RD|CONCESSION ROAD) )?(\d+)(?:ST|ND|RD|TH)?(?: (?:CONCESSION|LINE|SIDEROAD))?$/.exec(
      folded(name),
    )?.[1] ?? null
  );
}

/** Asks the number on a road of another kind with the same number, which the place does not have. */
function onAnotherKind(address: KnownAddress, random: () => number, register: KnownRegister): string | null {
  const number = roadNumber(address);
  const own = kindOf(address);
  if (number === null || own < 0 || address.direction !== '' || !address.isServed) return null;
  const taken = new Set(register.street(address.municipality, address.key).map(kindOf));
  if (taken.has(-1)) return null;
  const free = kinds.filter((_, kind) => !taken.has(kind));
  const road = free.length === 0 ? undefined : oneOf(random, oneOf(random, free).write(number));
  return road === undefined ? null : `${numberOf(address)} ${road}, ${townOf(address)}, ON`;
}

export const roads = [
  classOf(
    'A5 number of a road left out',
    '"691 Simcoe Road 88" is not on Simcoe Rd',
    'either',
    (address, random, register) => {
      if (address.type !== 'RD' || !address.isServed || !isRoadWord(address.name)) return null;
      const number = String(2 + Math.floor(random() * 97));
      const text = `${numberOf(address)} ${titled(address.name)} ${oneOf(random, ['Road', 'Rd'])} ${number}, ${townOf(address)}, ON`;
      return register.street(address.municipality, `#${number}`).length > 0 ? null : { text, truth: null };
    },
  ),
  classOf('A5 County Road with its number', '"1803 County Road 29", which exists', 'found', (address, _, register) =>
    /\b(?:COUNTY|REGIONAL|TOWNSHIP) (?:ROAD|RD)\b/.test(folded(address.name)) && register.isPlain(address)
      ? { text: officialOf(address), truth: truthOf(address) }
      : null,
  ),
  classOf(
    'A6 half of a numbered road',
    '"1200 Concession 8E": only 8 W has the number, or the road has no halves',
    'either',
    (address, random, register) => {
      const number = roadNumber(address);
      const kind = kinds.slice(0, KINDS_WITH_HALVES)[kindOf(address)];
      if (number === null || kind === undefined || !address.isServed) return null;
      const half = address.direction === 'E' ? 'W' : 'E';
      const street = register.street(address.municipality, address.key);
      if (street.some(({ name, direction }) => direction === half || folded(name).endsWith(half))) return null;
      const road = oneOf(
        random,
        kind.write(number).filter((text) => text.endsWith(number)),
      );
      return {
        text: `${numberOf(address)} ${road}${oneOf(random, ['', ' '])}${half}, ${townOf(address)}, ON`,
        truth: null,
      };
    },
  ),
  classOf(
    'A6 whole road for its half',
    '"100 Sideroad 5": only 5E has the number, and there is a Sideroad 5',
    'either',
    (address, random, register) => {
      const number = /^(\d+)[EW]$/.exec(folded(address.name))?.[1];
      const kind = kinds.slice(0, KINDS_WITH_HALVES)[kindOf(address)];
      if (number === undefined || kind === undefined || !address.isServed) return null;
      const whole = register.street(address.municipality, address.key).filter((other) => roadNumber(other) === number);
      if (whole.length === 0 || isBetween(address.civic, whole)) return null;
      return { text: `${numberOf(address)} ${oneOf(random, kind.write(number))}, ${townOf(address)}, ON`, truth: null };
    },
  ),
  classOf('A6 other kind of road', '"1500 Highway 7" is not 1500 7th Line', 'either', (address, random, register) => {
    const text = onAnotherKind(address, random, register);
    return text === null ? null : { text, truth: null };
  }),
  classOf(
    'A6 other kind of road, with code',
    'the same with the postal code of the other road',
    'either',
    (address, random, register) => {
      const text = address.postalCode === '' ? null : onAnotherKind(address, random, register);
      return text === null ? null : { text: text + codeOf(address), truth: null };
    },
  ),
  classOf('A6 numbered road itself', 'with its own kind', 'found', (address, _, register) =>
    roadNumber(address) !== null && register.isPlain(address)
      ? { text: `${numberOf(address)} ${streetOf(address)}, ${townOf(address)}, ON`, truth: truthOf(address) }
      : null,
  ),
];
