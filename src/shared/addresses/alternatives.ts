import type { Fault } from '../wire/geocode.ts';
import { direction, directionWord } from './directions.ts';
import { fault } from './faults.ts';
import { isCivicNumber, parseCivic, type CivicParts } from './parse-civic.ts';
import type { MunicipalityCut, Reading } from './reading.ts';
import { otherRoadKeys, parseStreet, type StreetParts } from './street-name.ts';
import { isNumberedRoadType, leadingType, streetType } from './street-types.ts';
import { isDesignator } from './units.ts';

/** Most words that may remain behind a street: a building's name, a hamlet. */
const MOST_LEFTOVER = 2;

/**
 * Returns less likely readings of an address, for when the plain reading finds nothing. If they were always tried,
 * answers would become worse: a reading that matches by chance would win over a plain one that is only missing from the
 * register.
 */
export function alternativeReadings(cut: MunicipalityCut): Reading[] {
  const civics = civicAlternatives(cut.head);
  return civics.flatMap(({ parts, faults }) =>
    streetAlternatives(parts.streetWords, faults.length > 0).map((split): Reading => ({
      unit: parts.unit,
      civic: parts.civic,
      suffix: parts.suffix,
      typedStreet: split.typedStreet,
      written: parts.streetWords,
      municipalities: cut.municipalities,
      faults: [...cut.faults, ...faults, ...split.faults],
    })),
  );
}

interface CivicAlternative {
  readonly parts: CivicParts;
  readonly faults: readonly Fault[];
}

/** Other positions of the civic number. */
function civicAlternatives(head: readonly string[]): CivicAlternative[] {
  const plain = parseCivic(head);
  if (plain === null) return [behindOtherWords(head), behindStreet(head)].flatMap((found) => found ?? []);
  return [{ parts: plain, faults: [] }, ...[spacedSuffix(plain), firstOfRange(plain)].flatMap((found) => found ?? [])];
}

/** "123 A Main St". */
function spacedSuffix(plain: CivicParts): CivicAlternative | null {
  const [letter = '', ...streetWords] = plain.streetWords;
  if (plain.suffix !== null || streetWords.length === 0 || !/^[A-Z]$/.test(letter)) return null;
  return {
    parts: { ...plain, suffix: letter, streetWords },
    faults: [fault('SUFFIX_APART', `${letter} read as the number's suffix`)],
  };
}

/** "123-127 Main St" may be numbers 123 to 127 instead of unit 123 of 127. */
function firstOfRange(plain: CivicParts): CivicAlternative | null {
  const first = Number(plain.unit ?? '');
  const apart = plain.civic - first;
  if (plain.suffix !== null || !(first > 0) || apart <= 0 || apart > 50 || apart % 2 !== 0) return null;
  return {
    parts: { ...plain, unit: null, civic: first },
    faults: [fault('CIVIC_RANGE', `${first}-${plain.civic} read as a range`)],
  };
}

/** "City Hall, 100 Queen St W". */
function behindOtherWords(head: readonly string[]): CivicAlternative | null {
  const at = head.findIndex((word, i) => i > 0 && /\d/.test(word));
  const before = head[at - 1] ?? '';
  if (at < 0 || !isCivicNumber(head[at]!) || isDesignator(before) || isNumberedRoad(before)) return null;
  const parts = parseCivic(head.slice(at));
  return parts && { parts, faults: [fault('LEADING_WORDS', `${head.slice(0, at).join(' ')} left out`)] };
}

/** "rue Rideau 300". */
function behindStreet(head: readonly string[]): CivicAlternative | null {
  const last = head.at(-1) ?? '';
  const streetWords = head.slice(0, -1);
  const beforeLast = streetWords.at(-1) ?? '';
  if (!isCivicNumber(last) || beforeLast === '' || isNumberedRoad(beforeLast) || isDesignator(beforeLast)) return null;
  if (streetWords.some((word) => /\d/.test(word))) return null;
  const parts = parseCivic([last, ...streetWords]);
  return parts && { parts, faults: [fault('CIVIC_BEHIND', 'the number stands behind the street')] };
}

function isNumberedRoad(word: string): boolean {
  const type = streetType(word);
  return type !== null && isNumberedRoadType(type);
}

interface StreetAlternative {
  readonly typedStreet: StreetParts;
  readonly faults: readonly Fault[];
}

/** Other ways to split the words of a street. @param plainToo the plain split is new with this civic number. */
function streetAlternatives(words: readonly string[], plainToo: boolean): StreetAlternative[] {
  const plain = parseStreet(words);
  if (plain === null) return [];
  const found: StreetAlternative[] = plainToo ? [{ typedStreet: plain, faults: [] }] : [];
  const add = (typedStreet: StreetParts | null, ...faults: Fault[]): void => {
    if (typedStreet && !found.some((other) => isSame(other.typedStreet, typedStreet)))
      found.push({ typedStreet, faults });
  };
  if (plain.type !== null)
    add(parseStreet(words, { keepType: true }), fault('TYPE_IN_NAME', 'the last word read as part of the name'));
  for (const turned of turnedDirections(words, plain))
    add(turned, fault('DIRECTION_MOVED', 'the direction stands elsewhere'));
  for (const key of otherRoadKeys(plain.key)) add({ ...plain, key }, fault('ROAD_KIND_DIFFERS', `read as ${key}`));
  for (const cut of shortened(words)) {
    const left = words.slice(cut.length);
    add(parseStreet(cut), ...left.map((word) => fault('LEFTOVER_WORD', `${word} left out`)));
  }
  return found.filter(({ typedStreet }) => plainToo || !isSame(typedStreet, plain));
}

function isSame(a: StreetParts, b: StreetParts): boolean {
  return a.key === b.key && a.type === b.type && a.direction === b.direction;
}

/** "W Queen St" for "Queen St W", "Main St E" for "East Main St", "Mitchell South Rd" for "Mitchell Rd S". */
function turnedDirections(words: readonly string[], plain: StreetParts): (StreetParts | null)[] {
  if (plain.direction !== null) {
    const word = directionWord(plain.direction);
    const inName = [word + plain.key, plain.key + word].map((key) => ({ ...plain, key, direction: null }));
    return [...inName, parseStreet(words, { keepDirection: true })];
  }
  const [first = '', ...rest] = words;
  const turned: (StreetParts | null)[] = [];
  if (direction(first) !== null && rest.length > 0) turned.push(parseStreet([...rest, first]));
  const inner = words.findIndex((word, i) => i > 0 && i < words.length - 1 && direction(word) !== null);
  if (inner > 0) turned.push(parseStreet([...words.slice(0, inner), ...words.slice(inner + 1), words[inner]!]));
  return turned;
}

/** The words up to a street type (and a direction behind it), with one or two words left over. */
function shortened(words: readonly string[]): (readonly string[])[] {
  const cuts: (readonly string[])[] = [];
  for (let left = 1; left <= MOST_LEFTOVER && left < words.length - 1; left++) {
    const cut = words.slice(0, -left);
    // A type or a direction is never left out, because it distinguishes streets.
    if (words.slice(-left).some((word) => streetType(word) !== null || direction(word) !== null)) break;
    const last = cut.at(-1)!;
    const beforeLast = cut.at(-2) ?? '';
    const endsInType = streetType(last) !== null || (direction(last) !== null && streetType(beforeLast) !== null);
    const leads = cut.length > 1 && leadingType(cut[0]!)?.firm === true;
    if (cut.length > 1 && (endsInType || leads)) cuts.push(cut);
  }
  return cuts;
}

/** Most words of a municipality's name, known or not. */
const LONGEST_MUNICIPALITY = 7;

/**
 * Returns possible ends of the street for an address that names no known municipality, with the unknown words behind.
 */
export function cutUnknownMunicipality({ head }: MunicipalityCut): { cut: MunicipalityCut; unknown: string }[] {
  const cuts: { cut: MunicipalityCut; unknown: string }[] = [];
  for (let at = head.length - 1; at >= Math.max(2, head.length - LONGEST_MUNICIPALITY); at--) {
    const endsInType = streetType(head[at - 1]!) !== null && at > 2;
    const endsInDirection = direction(head[at - 1]!) !== null && streetType(head[at - 2]!) !== null;
    if (!endsInType && !endsInDirection) continue;
    cuts.push({ cut: { head: head.slice(0, at), municipalities: [], faults: [] }, unknown: head.slice(at).join(' ') });
  }
  return cuts;
}
