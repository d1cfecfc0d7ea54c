/** Forms that other geocoders' tests and files of offices have, and that were refused or misread. */
import { typeWords, withTypo } from '../words.ts';
import { oneOf, type Random } from '../question.ts';
import type { KnownRegister } from '../known-register.ts';
import { words, type Parts, type Way } from './way.ts';

/** Before the number without a comma. */
function glued(...units: readonly string[]): Way {
  return ({ line, tail }, random) => `${oneOf(random, units)} ${line}${tail}`;
}

function front(...names: readonly string[]): Way {
  return ({ line, tail }, random) => `${oneOf(random, names)}${line}${tail}`;
}

/** With the type written in another way, where the town has no other street of the name. */
function retyped(write: (type: string, random: Random) => string | null): Way {
  return (parts, random, register) => {
    const { address, number, name, direction, tail } = parts;
    if (!isOnlyOfName(parts, register)) return null;
    const type = write(address.type, random);
    return type === null ? null : words(number, name, type, direction) + tail;
  };
}

function isOnlyOfName({ address }: Parts, register: KnownRegister): boolean {
  const street = register.street(address.municipality, address.key);
  return address.type !== '' && !address.key.startsWith('#') && street.every(({ type }) => type === address.type);
}

/** What cities write for a type in their own lists. */
const localTypes: Readonly<Record<string, readonly string[]>> = {
  ...{ BLVD: ['Bv', 'Bl', 'Bvd'], CLOSE: ['Cl'], CRES: ['Crs', 'Cre'], CIR: ['Ci'], TRAIL: ['Tl', 'Trl'], WAY: ['Wa'] },
  ...{ LANE: ['La'], GATE: ['Ga', 'Gte'], TERR: ['Terr', 'Ter'], AVE: ['Avn', 'Aven'], CRT: ['Cour', 'Crt'] },
};

/** Other types that one letter, or the first letters, of a type make. */
const otherType =
  /^(?:bay|line|link|walk|dale|port|vale|court|count|place|plaza|park|pass|path|ridge|run|row|via|glen|loop)$/i;

function cutOff(type: string, random: Random): string | null {
  const word = typeWords[type]?.[0];
  if (word === undefined || word.length < 5) return null;
  const cut = word.slice(0, 3 + Math.floor(random() * (word.length - 3)));
  return otherType.test(cut) ? null : cut;
}

function misspelt(type: string, random: Random): string | null {
  const typo = withTypo(typeWords[type]?.[0] ?? '', random);
  return typo === null || typo.length < 3 || otherType.test(typo) ? null : typo;
}

const numberedHighway: (write: (name: string) => string) => Way =
  (write) =>
  ({ address, number, direction, tail }) =>
    address.type === 'HWY' && /^\d+$/.test(address.name) ? words(number, write(address.name), direction) + tail : null;

export const fieldWays: Readonly<Record<string, Way>> = {
  'unit in one word, no comma': glued('Unit910', 'PH9', 'PHC', 'TH3', 'Apt12', 'Suite100', 'UNIT4B'),
  'letter and digits, no comma': glued('B2', 'A12', 'C 4', 'B 2', 'D-3'),
  'part of a house, no comma': glued('LWR', 'UPPER', 'BSMT', 'REAR', 'Upper', 'Lower', 'Basement', 'UPPR', 'Main'),
  'designator, no comma': glued('Unit 910', 'Apt 12', 'Suite 100-A', 'PH 2', 'TH 3', 'Lower Level'),
  'first half of the code': ({ address: { postalCode }, line, town }) =>
    postalCode === '' ? null : `${line}, ${town}, ON ${postalCode.slice(0, 3)}`,
  'first half of the code, no province': ({ address: { postalCode }, line, town }) =>
    postalCode === '' ? null : `${line}, ${town} ${postalCode.slice(0, 3)}`,
  'first half of the code, in the middle': ({ address: { postalCode }, line, town }) =>
    postalCode === '' ? null : `${line}, ${postalCode.slice(0, 3).toLowerCase()}, ${town}, ON`,
  'first half of the code, behind Canada': ({ address: { postalCode }, line, town }) =>
    postalCode === '' ? null : `${line}, ${town}, Ontario, Canada, ${postalCode.slice(0, 3)}`,
  'type cut off': retyped(cutOff),
  'type misspelt': retyped(misspelt),
  'type as a city writes it': retyped((type, random) => {
    const types = localTypes[type];
    return types === undefined ? null : oneOf(random, types);
  }),
  'highway in one word': numberedHighway((name) => `Hwy${name}`),
  'highway of the province': numberedHighway((name) => `Prov Hwy ${name}`),
  'highway of Ontario': numberedHighway((name) => `Ontario Hwy ${name}`),
  'highway as ON-7': numberedHighway((name) => `ON-${name}`),
  'half with a hyphen': ({ address: { civic, suffix }, number, street, tail }) =>
    suffix === '' || suffix.includes('/')
      ? `${suffix === '' ? `${civic}-1/2` : number.replace(' ', '-')} ${street}${tail}`
      : null,
  "O' apart": ({ number, name, type, direction, tail }) =>
    /\bO['’]/.test(name) ? words(number, name.replace(/\bO['’]/, 'O '), type, direction) + tail : null,
  'apostrophe of a web page': ({ line, tail }) => (/['’]/.test(line) ? line.replace(/['’]/, '&#39;') + tail : null),
  'La or Le apart, or glued': ({ number, name, type, direction, tail }) => {
    const other = /^(?:La|Le|De|Mac|Mc) \p{Lu}/u.test(name)
      ? name.replace(' ', '')
      : name.replace(/^(La|Le|De|Mac|Mc)(?=\p{Lu})/u, '$1 ');
    return other === name ? null : words(number, other, type, direction) + tail;
  },
  'number glued to the street': ({ address, street, tail }) =>
    address.suffix === '' && /^[\p{L}]{3}/u.test(street) && !/\d/.test(street)
      ? `${address.civic}${street}${tail}`
      : null,
  'shop with a number in front': front(
    'Tim Hortons #1234, ',
    'Studio 54 Cafe, ',
    '7-Eleven, ',
    'Store 1234, ',
    'Pizza Pizza #88, ',
  ),
  'shop with a number before a dash': front('Circle K 4521 - ', 'Tim Hortons #1234 - ', "Wendy's 22 - "),
  'shop that begins with a number': front(
    '7-Eleven, ',
    '1 Hour Cleaners, ',
    '241 Pizza, ',
    '3 Brewers, ',
    '24/7 Fitness, ',
  ),
  'town and province first': ({ line, town, tail }, random) =>
    `${town}${oneOf(random, [' ON, ', ', ON, ', ', Ontario, ', ' Ontario, '])}${line}${tail}`,
  'town and province first alone': ({ line, town }, random) =>
    `${town}${oneOf(random, [' ON, ', ', ON, ', ', Ontario, '])}${line}`,
  'province behind the street': ({ line, tail }) => `${line} ON${tail}`,
};
