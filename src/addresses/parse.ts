import type { Refusal } from '../messages/lookup.ts';
import type { RefusalReason } from '../messages/reasons.ts';
import { type AddressWords, addressWords, slice, without } from './address-words.ts';
import { type CivicReading, civicReadings } from './civic-readings.ts';
import { direction } from './directions.ts';
import { municipalityKey } from './municipality-name.ts';
import { isCountingWord, isNameInFront } from './noise.ts';
import { isCivicNumber } from './parse-civic.ts';
import { type Ends, takeEnds } from './parse-ends.ts';
import { citiesWithPart, namedCounty } from './municipal-structure.ts';
import { type MunicipalityNames, cutPlaces, isKnownPlace, LONGEST_NAME } from './places.ts';
import { isOntarioPostalCode } from './postal-code.ts';
import type { PlaceCut, Reading } from './reading.ts';
import { otherProvinces, placesElsewhere } from './regions.ts';
import { type StreetParts, parseStreet, otherRoadKeys, roadOwner } from './street-name.ts';
import { isNumberedRoadType, streetType } from './street-types.ts';
import { tokenise } from './tokens.ts';
import { isDesignator } from './units.ts';
import { fault } from './faults.ts';

/** An address split as far as possible without knowing the streets. */
export interface ParsedAddress {
  /** Every way to understand the address that accounts for all of its words. */
  readonly readings: Readings;
  /** Six characters, or the three of its area. */
  readonly postalCode: string | null;
  /** All words except country, province, postal code and delivery phrases. */
  readonly words: AddressWords;
  /** True when it names a municipality. */
  readonly isPlaced: boolean;
  /** Name of the delivery phrase that was removed: "post office box". */
  readonly delivery: string | null;
}

/**
 * Splits an address into its parts. Case, accents, spacing and punctuation make no difference.
 * @returns a refusal when the address names a place outside Ontario.
 */
export function parseAddress(text: string, names: MunicipalityNames): ParsedAddress | Refusal {
  const ends = takeEnds(addressWords(text), names);
  const { rest, postalCode, unit, faults } = ends;
  const isForeign = postalCode !== null && !isOntarioPostalCode(postalCode);
  const elsewhere = ends.elsewhere ?? (isForeign ? `the postal code ${postalCode}` : null);
  if (elsewhere !== null) return outOfArea(elsewhere);
  const cuts = cutPlaces(rest, names);
  const isPlaced = cuts.some(({ municipalities }) => municipalities.length > 0);
  const place = cuts.length === 0 && postalCode === null ? placeElsewhere(rest.words) : null;
  if (place !== null) return outOfArea(place);
  return {
    readings: new Readings(cuts.length > 0 ? cuts : [withoutPlace(rest)], names, { unit, faults }),
    postalCode,
    words: rest,
    isPlaced,
    delivery: ends.delivery,
  };
}

function withoutPlace(head: AddressWords): PlaceCut {
  return { head, municipalities: [], divisions: [], faults: [] };
}

/** "1 Rue Notre-Dame Ouest, Montréal" names no province. */
function placeElsewhere(words: readonly string[]): string | null {
  const place = [1, 2, 3].map((n) => words.slice(-n)).find((last) => placesElsewhere.has(municipalityKey(last)));
  return place?.join(' ') ?? null;
}

function outOfArea(place: string): Refusal {
  return refusal('OUT_OF_AREA', `The address names ${place}, which is not in Ontario.`);
}

export function refusal(reason: RefusalReason, detail: string, suggestions: readonly string[] = []): Refusal {
  return { reason, detail, suggestions };
}

const MOST_SUGGESTIONS = 5;

export function ambiguous(addresses: readonly string[]): Refusal {
  return refusal('AMBIGUOUS', 'Several places answer to this address.', distinctSuggestions(addresses));
}

/** Removes duplicates and limits the number of suggestions. */
export function distinctSuggestions(addresses: readonly string[]): string[] {
  return [...new Set(addresses)].slice(0, MOST_SUGGESTIONS);
}

/** More readings than any address needs; a text of repeated words has no end of them. */
const MOST_READINGS = 24;

/** The ways to understand an address. */
export class Readings {
  /** Those that take the words as they stand. */
  readonly plain: readonly Reading[];
  readonly #civics: readonly (readonly [PlaceCut, CivicReading])[];
  #turned: readonly Reading[] | null = null;

  /** @param ends what stood behind the places. */
  constructor(
    cuts: readonly PlaceCut[],
    names: MunicipalityNames,
    { unit, faults }: Pick<Ends, 'unit' | 'faults'> = { unit: null, faults: [] },
  ) {
    const isPlace = (words: readonly string[]): boolean => names.has(municipalityKey(words));
    const civics: (readonly [PlaceCut, CivicReading])[] = [];
    for (const cut of cuts)
      for (const read of civicReadings(cut.head, isPlace)) {
        const civic = { ...read, unit: read.unit ?? unit, faults: [...faults, ...read.faults] };
        civics.push([cut, unit === null && faults.length === 0 ? read : civic]);
      }
    this.#civics = civics.slice(0, MOST_READINGS);
    const plain: Reading[] = [];
    for (const [cut, civic] of this.#civics) {
      const typedStreet = civic.isTurned ? null : parseStreet(civic.streetWords);
      if (typedStreet !== null) plain.push(reading(cut, civic, { typedStreet, fault: null }));
    }
    this.plain = plain;
  }

  /** Those that turn words round, which few addresses need. */
  get turned(): readonly Reading[] {
    this.#turned ??= this.#civics.flatMap(([cut, civic]) => {
      const plain = parseStreet(civic.streetWords);
      if (plain === null) return [];
      const asTheyStand = civic.isTurned ? [reading(cut, civic, { typedStreet: plain, fault: null })] : [];
      const turned = [...turnedStreets(civic.streetWords, plain), ...roadsOtherwise(plain, cut.municipalities)];
      return [...asTheyStand, ...turned.map((street) => reading(cut, civic, street))];
    });
    return this.#turned;
  }
}

interface ReadStreet {
  readonly typedStreet: StreetParts;
  readonly fault: Reading['faults'][number] | null;
  /** Of the county in the road's name. */
  readonly divisions?: readonly string[];
}

function reading({ municipalities, divisions, faults }: PlaceCut, civic: CivicReading, street: ReadStreet): Reading {
  return {
    unit: civic.unit,
    civic: civic.civic,
    suffix: civic.suffix,
    needsSuffix: civic.needsSuffix,
    among: civic.among,
    isFirstOfTwo: civic.isFirstOfTwo,
    typedStreet: street.typedStreet,
    written: civic.streetWords,
    municipalities,
    divisions: street.divisions ? [...divisions, street.divisions] : divisions,
    isTurned: civic.isTurned || street.fault !== null,
    faults: [...faults, ...civic.faults, ...(street.fault ? [street.fault] : [])],
  };
}

/**
 * Returns possible ends of the street for an address that names no known municipality, with the unknown words behind:
 * they begin a part, or follow a street's type or direction.
 */
export function cutUnknownPlace(address: AddressWords): { cut: PlaceCut; unknown: string }[] {
  const { words, begins } = address;
  const cuts: { cut: PlaceCut; unknown: string }[] = [];
  for (let at = words.length - 1; at >= Math.max(2, words.length - LONGEST_NAME); at--) {
    const endsInType = streetType(words[at - 1]!) !== null && at > 2;
    const endsInDirection = direction(words[at - 1]!) !== null && streetType(words[at - 2]!) !== null;
    if (!begins[at] && !endsInType && !endsInDirection) continue;
    cuts.push({ cut: withoutPlace(slice(address, 0, at)), unknown: words.slice(at).join(' ') });
  }
  return cuts;
}

/** Returns the readings of an address with words behind the street that name no known municipality. */
export function readingsBeforeUnknown({ words }: ParsedAddress, names: MunicipalityNames): readonly Reading[] {
  const cuts = cutUnknownPlace(words).filter(({ unknown }) => !namesPlace(unknown.split(' '), names));
  return new Readings(
    cuts.map(({ cut }) => cut),
    names,
  ).plain;
}

/** Most parts of an address that are left out in turn. */
const MOST_PARTS = 4;

/** Returns the address without each of the parts behind its first, and that part. */
export function withoutOnePart(
  address: AddressWords,
): { readonly rest: AddressWords; readonly part: readonly string[] }[] {
  const { words } = address;
  const begins = words.map((_, at) => at).filter((at) => at > 0 && address.begins[at]);
  return begins.slice(0, MOST_PARTS).map((at, i) => {
    const part = words.slice(at, begins[i + 1]);
    return { rest: without(address, at, part.length), part };
  });
}

/**
 * Returns the readings of an address without one of its parts, where none reads all of it and that part names nothing that decides between
 * places: "Williamsville" in "12 Main St, Williamsville, Kingston".
 */
export function readingsWithoutPart({ words, readings }: ParsedAddress, names: MunicipalityNames): readonly Reading[] {
  if (readings.plain.length > 0) return [];
  const rests = withoutOnePart(words).filter(({ part }) => isMereName(part, names));
  const faults = [fault('WORDS_LEFT_OUT', 'a part that names no place was left out')];
  const cuts = rests.flatMap(({ rest }) => cutPlaces(rest, names)).filter((cut) => cut.municipalities.length > 0);
  return new Readings(cuts, names, { unit: null, faults }).plain;
}

/** Neither a street, a number, a side nor a place. */
function isMereName(part: readonly string[], names: MunicipalityNames): boolean {
  const isPlace = (_: string, from: number): boolean =>
    [1, 2, 3].some((n) => isKnownPlace(municipalityKey(part.slice(from, from + n)), names));
  const isDeciding = (word: string): boolean => /\d/.test(word) || direction(word) !== null;
  return isNameInFront(part) && !part.some(isDeciding) && !part.some(isPlace) && !namesPlace(part, names);
}

/** Words with another province or address among them, or that begin with a town, are not unknown: "Montréal QC parking in rear", "14 Queen St". */
function namesPlace(words: readonly string[], names: MunicipalityNames): boolean {
  return words.some(
    (word, from) =>
      (isCivicNumber(word) && words.slice(from + 2).some((later) => streetType(later) !== null)) ||
      [1, 2, 3].some((n) => {
        const run = words.slice(from, from + n);
        const isTown = from === 0 && names.has(municipalityKey(run));
        return isTown || otherProvinces.has(run.join(' ')) || placesElsewhere.has(municipalityKey(run));
      }),
  );
}

/** Says why an address cannot be read. */
export function whyUnreadable({ words: { words }, delivery }: ParsedAddress): Refusal {
  if (delivery !== null) return refusal('NON_CIVIC_ADDRESS', `A ${delivery} is not a civic address.`);
  if (isIntersection(words)) return refusal('INTERSECTION', 'An intersection is not a civic address.');
  return words.some((word, at) => isCivicNumber(word) && !isNumberOf(words[at - 1] ?? ''))
    ? refusal('LOW_CONFIDENCE', 'Some words of the address are not understood.')
    : refusal('CIVIC_NUMBER_REQUIRED', 'A civic address begins with a number and a street name.');
}

/** "Hwy 7", "Unit 5", "Hangar 5": the number of a road or a thing. */
function isNumberOf(before: string): boolean {
  const type = streetType(before);
  // "Bay 29" may be a street and its number.
  return isDesignator(before) || (type === null ? isCountingWord(before) : isNumberedRoadType(type));
}

export function isIntersection(words: readonly string[]): boolean {
  return (
    words.some((word, i) => i < words.length - 1 && /^(?:CORNER|INTERSECTION|COIN)$/.test(word)) ||
    words.slice(1, -1).some((word, i) => /^(?:AND|AT|ET)$/.test(word) && !/^\d+$/.test(words[i + 2]!))
  );
}

/** Returns the ways to split the words of a street that turn them round, each with the fault that says how. @param plain the words as they stand. */
function turnedStreets(words: readonly string[], plain: StreetParts): ReadStreet[] {
  const found: ReadStreet[] = [];
  const add = (typedStreet: StreetParts | null, turned: Reading['faults'][number]): void => {
    if (typedStreet && ![plain, ...found.map((other) => other.typedStreet)].some((other) => isSame(other, typedStreet)))
      found.push({ typedStreet, fault: turned });
  };
  if (plain.type !== null)
    add(parseStreet(words, { keepType: true }), fault('TYPE_IN_NAME', 'the last word read as part of the name'));
  for (const turned of turnedDirections(words, plain))
    add(turned, fault('DIRECTION_MOVED', 'the direction stands elsewhere'));
  return found;
}

/**
 * "Essex Road 34" may be the register's County Road 34, in that county or town alone. "Old County Road 34" and "Township Road 34" are other
 * roads.
 */
function roadsOtherwise(plain: StreetParts, municipalities: readonly string[]): ReadStreet[] {
  const owner = roadOwner(plain.key);
  if (owner === null) return [];
  const isOfTown = municipalities.some((name) =>
    [name, ...citiesWithPart(name).map((city) => municipalityKey(tokenise(city)))].includes(owner),
  );
  const county = owner === '' || isOfTown ? null : namedCounty([owner]);
  if (owner !== '' && !isOfTown && county === null) return [];
  return otherRoadKeys(plain.key).map((key) => ({
    typedStreet: { ...plain, key },
    fault: fault('ROAD_KIND_DIFFERS', `read as ${key}`),
    ...(county && { divisions: county.divisions }),
  }));
}

function isSame(a: StreetParts, b: StreetParts): boolean {
  return a.key === b.key && a.type === b.type && a.direction === b.direction;
}

/**
 * "W Queen St" for "Queen St W", "Main St E" for "East Main St", "Mitchell South Rd" for "Mitchell Rd S". Never "West Park
 * St" for "Park St W": many towns have both.
 */
function turnedDirections(words: readonly string[], plain: StreetParts): (StreetParts | null)[] {
  if (plain.direction !== null) return [parseStreet(words, { keepDirection: true })];
  const [first = '', ...rest] = words;
  const turned: (StreetParts | null)[] = [];
  if (direction(first) !== null && rest.length > 0) turned.push(parseStreet([...rest, first]));
  const inner = words.findIndex((word, i) => i > 0 && i < words.length - 1 && direction(word) !== null);
  if (inner > 0) turned.push(parseStreet([...words.slice(0, inner), ...words.slice(inner + 1), words[inner]!]));
  return turned;
}
