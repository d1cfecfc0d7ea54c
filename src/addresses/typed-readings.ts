/** Ways to understand the words behind a civic number while the last of them is being typed. */
import { direction, directionsBeginning } from './directions.ts';
import { municipalityKey } from './municipality-name.ts';
import { foldName, parseStreet, type StreetParts } from './street-name.ts';
import { leadingType, sameStreetType, streetTypesBeginning } from './street-types.ts';

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
