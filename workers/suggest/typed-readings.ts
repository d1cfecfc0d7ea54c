/** Ways to understand the words behind a civic number while the last of them is being typed. */
import { direction, directionsBeginning } from '../../src/addresses/directions.ts';
import { municipalityKey } from '../../src/addresses/municipality-name.ts';
import { type StreetParts, foldName, parseStreet } from '../../src/addresses/street-name.ts';
import { leadingType, sameStreetType, streetTypesBeginning } from '../../src/addresses/street-types.ts';
import { parseCivic } from '../../src/addresses/parse-civic.ts';
import { tokenise } from '../../src/addresses/tokens.ts';
import { isDesignator } from '../../src/addresses/units.ts';

/** What a street must be to fit; null: anything. */
export interface TypedReading {
  /** Folded name, without spaces. */
  readonly name: string;
  /** Whether this is the whole name, or its beginning. */
  readonly isWhole: boolean;
  /** Register types, which also stand for those of the other language. */
  readonly types: readonly string[] | null;
  readonly directions: readonly string[] | null;
  readonly place: TypedPlace | null;
  /** Unlikeliness: readings of a lower rank come first. */
  readonly rank: number;
}

/** Key of a municipality's name (`municipalityKey`), whole or its beginning. */
export interface TypedPlace {
  readonly name: string;
  readonly isWhole: boolean;
}

/** Words of the longest municipality name, with province and country. */
const LONGEST_PLACE = 8;

/** Returns the readings of some words, which may be none at all. */
export function typedReadings(words: readonly string[]): TypedReading[] {
  const readings: TypedReading[] = [];
  const open = { types: null, directions: null, place: null };
  for (const name of beginningsOf(words)) {
    readings.push({ ...open, name, isWhole: true, rank: 0 });
    // A name of several words may as well be a name and something behind it.
    readings.push({ ...open, name, isWhole: false, rank: words.length > 1 ? 2 : 1 });
  }
  readings.push(...behindLeadingWord(words));
  const typedStreet = words.length > 1 ? parseStreet(words) : null;
  if (typedStreet !== null && (typedStreet.type !== null || typedStreet.direction !== null)) {
    readings.push({ ...fitting(typedStreet), name: typedStreet.key, isWhole: true, rank: 0 });
    readings.push({ ...fitting(typedStreet), name: typedStreet.key, isWhole: false, rank: 2 });
  }
  for (let at = words.length - 1; at >= Math.max(1, words.length - LONGEST_PLACE); at--) {
    const [head, rest] = [words.slice(0, at), words.slice(at)];
    for (const parts of streetsOf(head)) readings.push(...continued(parts, rest));
  }
  return readings;
}

/** Returns the forms of a name whose last word may be incomplete: as it was typed, and with its words spelt out. */
function beginningsOf(words: readonly string[]): string[] {
  const last = words.at(-1) ?? '';
  return [...new Set([words.join(''), foldName(words.slice(0, -1)) + last, foldName(words)])];
}

/** "rue Rid", "ch. Mont", "W Queen". */
function behindLeadingWord([first = '', ...rest]: readonly string[]): TypedReading[] {
  if (rest.length === 0) return [];
  const lead = leadingType(first);
  const turned = direction(first);
  if (lead === null && turned === null) return [];
  return beginningsOf(rest).map((name) => ({
    name,
    isWhole: false,
    types: lead && [lead.token],
    directions: turned === null ? null : [turned],
    place: null,
    rank: 2,
  }));
}

/** Words in front of others are complete: they are a street, with or without the type that they end in. */
function streetsOf(head: readonly string[]): StreetParts[] {
  const plain = parseStreet(head);
  if (plain === null) return [];
  const kept = plain.type === null ? null : parseStreet(head, { keepType: true });
  return kept === null || kept.key === plain.key ? [plain] : [plain, kept];
}

function fitting({ type, direction: symbol }: StreetParts): Pick<TypedReading, 'types' | 'directions' | 'place'> {
  return { types: type === null ? null : [type], directions: symbol === null ? null : [symbol], place: null };
}

/** Reads the words behind a street as the beginning of its type or direction, or as a municipality. */
function continued(typedStreet: StreetParts, rest: readonly string[]): TypedReading[] {
  const known = { ...fitting(typedStreet), name: typedStreet.key, isWhole: true };
  const readings: TypedReading[] = [];
  const [word = ''] = rest;
  if (rest.length === 1 && typedStreet.type === null) {
    const types = streetTypesBeginning(word);
    if (types.length > 0) readings.push({ ...known, types, rank: 1 });
  }
  if (rest.length === 1 && typedStreet.direction === null) {
    const directions = directionsBeginning(word);
    if (directions.length > 0) readings.push({ ...known, directions, rank: 1 });
  }
  const rank = typedStreet.type === null ? 3 : 2;
  for (const place of typedPlaces(rest)) readings.push({ ...known, place, rank });
  return readings;
}

/** Reads words as a municipality, with the beginning of "ON" or "Ontario, Canada" behind it. */
export function typedPlaces(words: readonly string[]): TypedPlace[] {
  const places: TypedPlace[] = [{ name: municipalityKey(words), isWhole: false }];
  for (let tail = 1; tail <= 2 && tail < words.length; tail++) {
    if (isProvince(words.slice(-tail))) {
      places.push({ name: municipalityKey(words.slice(0, -tail)), isWhole: true });
    }
  }
  return places.filter(({ name }) => name !== '');
}

function isProvince([province = '', country]: readonly string[]): boolean {
  if (country === undefined) return 'ONTARIO'.startsWith(province);
  return /^(?:ON|ONT|ONTARIO)$/.test(province) && 'CANADA'.startsWith(country);
}

/** Says whether a street's register type is among those asked for, in either language. */
export function fitsType(asked: readonly string[], type: string | null): boolean {
  return type !== null && asked.some((other) => sameStreetType(other, type));
}

// The parts of an address that someone is still typing.

/** What was typed, as far as it can be split without knowing the streets. */
export interface TypedAddress {
  readonly unit: string | null;
  /** Null: a street or a municipality is being typed. */
  readonly civic: number | null;
  readonly suffix: string | null;
  /** All words behind the civic number, without unit and postal code. The last one may be incomplete. */
  readonly words: readonly string[];
  /** Beginning of a postal code; null when none was typed. */
  readonly postalCode: string | null;
}

/** Longer texts are cut, so that none costs much. No address has so many words. */
const MOST_WORDS = 16;

/** Stands for the street that is not there yet: `parseCivic` wants one. */
const PLACEHOLDER = 'QQQQ';

/**
 * Reads a text as the beginning of an address, in the ways that it allows, the likeliest first: with a civic number,
 * then as a street or municipality alone.
 */
export function parseTyped(text: string): TypedAddress[] {
  const { words, postalCode } = cutPostalCode(tokenise(text).slice(0, MOST_WORDS));
  const typed: TypedAddress[] = [];
  const civic = parseCivic(words) ?? parseCivic([...words, PLACEHOLDER]);
  if (civic !== null) {
    const streetWords = namesOf(civic.streetWords.filter((word) => word !== PLACEHOLDER));
    typed.push({ ...civic, words: streetWords, postalCode });
    const [letter = '', ...rest] = streetWords;
    // "123 A Main"
    if (civic.suffix === null && rest.length > 0 && /^[A-Z]$/.test(letter)) {
      typed.push({ ...civic, suffix: letter, words: rest, postalCode });
    }
    // "12 Main St apt": the unit follows.
    if (isDesignator(streetWords.at(-1) ?? '')) typed.push({ ...civic, words: streetWords.slice(0, -1), postalCode });
  }
  typed.push({ unit: null, civic: null, suffix: null, words: namesOf(words), postalCode });
  return typed;
}

function namesOf(words: readonly string[]): string[] {
  return words.filter((word) => word !== '-' && word !== '#');
}

const firstHalf = /^[KLMNP]\d[A-Z]$/;
const secondHalf = /^\d(?:[A-Z]\d?)?$/;
const beginning = /^[KLMNP]\d(?:[A-Z](?:\d(?:[A-Z]\d?)?)?)?$/;

/** Takes the beginning of a postal code of Ontario off the end: "K7", "K7L 1A", "K7L1A1". */
function cutPostalCode(words: readonly string[]): { words: readonly string[]; postalCode: string | null } {
  const end = /^CAN(?:A(?:D(?:A)?)?)?$/.test(words.at(-1) ?? '') ? -1 : words.length;
  const before = words.slice(0, end);
  const [area = '', last = ''] = before.slice(-2);
  if (before.length > 1 && firstHalf.test(area) && secondHalf.test(last)) {
    return { words: before.slice(0, -2), postalCode: area + last };
  }
  const code = before.at(-1) ?? '';
  // A single letter is a postal code only behind the province.
  const isBehindProvince = /^(?:ON|ONT|ONTARIO)$/.test(area) && /^[KLMNP]$/.test(code);
  return isBehindProvince || beginning.test(code)
    ? { words: before.slice(0, -1), postalCode: code }
    : { words, postalCode: null };
}
