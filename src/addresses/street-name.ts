import { direction } from './directions.ts';
import { foldOrdinals } from './ordinals.ts';
import {
  isFrenchType,
  isNumberedRoadType,
  leadingType,
  type LeadingType,
  sameStreetType,
  spellOut,
  streetType,
} from './street-types.ts';

/** The parts of a street, with the key of the gazetteer: every way of writing a street gives the same key. */
export interface StreetParts {
  /** Folded name without type and direction, its words joined: "LAKESHORE" for "Lake Shore Blvd W". */
  readonly key: string;
  /** Register token, for example "BLVD"; null when there is none. */
  readonly type: string | null;
  readonly direction: string | null;
}

/**
 * Splits the words of a street (type and direction in any position, in English or French) into its parts. The
 * register's rows and the text that people type go through this function, so it does not matter how a publisher split
 * them.
 * @param keepType leaves a type at the end in the name: "Aspen Cove" without its "Crescent".
 * @param keepDirection leaves a direction at the end in the name: "rue North".
 * @param words tokens of `tokenise`, without civic number, unit and municipality. Null when nothing is left of them.
 */
export function parseStreet(
  words: readonly string[],
  { keepType = false, keepDirection = false } = {},
): StreetParts | null {
  const street = new StreetReader(mergeWords(foldOrdinals(words.filter((word) => word !== '-' && word !== '#'))));
  if (!keepDirection) street.takeDirection();
  if (!keepType) street.takeTrailingType();
  street.takeLeadingType();
  street.takeNumberedRoad();
  return street.words.length === 0
    ? null
    : { key: nameKey(street.words), type: street.type, direction: street.direction };
}

class StreetReader {
  words: string[];
  type: string | null = null;
  direction: string | null = null;

  constructor(words: string[]) {
    this.words = words;
  }

  takeDirection(): void {
    const { words } = this;
    if (this.direction !== null || words.length < 2) return;
    const french = leadingType(words[0]!) !== null || isFrenchType(streetType(words.at(-2)!) ?? '');
    const found = direction(words.at(-1)!, french);
    if (found === null) return;
    words.pop();
    const before = words.length > 1 ? direction(words.at(-1)!) : null;
    const both = before === null ? null : direction(before + found);
    if (both !== null) words.pop();
    this.direction = both ?? found;
  }

  takeTrailingType(): void {
    const { words } = this;
    const type = words.length > 1 ? streetType(words.at(-1)!) : null;
    if (type === null) return;
    this.type = type;
    const spelling = words.pop()!;
    if (isFrenchType(type) || isFrenchType(spelling)) this.takeDirection();
  }

  takeLeadingType(): void {
    const { words } = this;
    const lead = words.length < 2 ? null : leadingType(words[0]!);
    if (lead === null || !this.#giveWayTo(lead)) return;
    words.shift();
    if (words[0] === 'THE' && words.length > 1) words.shift();
  }

  /**
   * Says whether the leading type is the street's type. It replaces a type behind the name that is a word of the name.
   */
  #giveWayTo(lead: LeadingType): boolean {
    const { type, words } = this;
    // "chemin 6th Concession"
    const isNumbered = type !== null && isNumberedRoadType(type) && words.length === 2 && isRoadNumber(words[1]!);
    if (isNumbered || (type !== null && sameStreetType(type, lead.token))) return true;
    if (type !== null && !lead.firm) return false;
    // "chemin Lloyd Manor"
    if (type !== null) words.push(type);
    this.type = lead.token;
    return true;
  }

  /** "Line 5", "Highway 7", "Concession 4 Rd": number and kind of road, as in "5th Line". */
  takeNumberedRoad(): void {
    const { words } = this;
    const type = streetType(words[0] ?? '');
    if (words.length !== 2 || type === null || !isNumberedRoadType(type) || !isRoadNumber(words[1]!)) return;
    this.type = type;
    words.shift();
  }
}

function isRoadNumber(word: string): boolean {
  return /^\d{1,3}[A-Z]?$/.test(word);
}

/** Types written as two or three words, and words without meaning. */
const merged: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/^THE (?=.)/, ''],
  [/\b(?:SIDE|SD) (?:ROAD|RD)\b/g, 'SIDERD'],
  [/\bTOWN ?LINE (?:ROAD|RD)$/g, 'TLINE'],
  [/\bTOWN LINE\b/g, 'TLINE'],
  [/\bBY PASS\b/g, 'BYPASS'],
  [/\bCUL DE SAC\b/g, 'CDS'],
  [/\bROND POINT\b/g, 'RDPT'],
  [/\bRIGHT OF WAY\b/g, 'RTOFWY'],
  [/\b(?:KINGS|PROVINCIAL|ONTARIO) (?:HIGHWAY|HWY)\b/g, 'HWY'],
  [/\bTRANS CANADA (?:HIGHWAY|HWY) (?=\d)/g, 'HWY '],
  [/\b(?:NO|NUMBER|NUM) (?=\d)/g, ''],
  // "Concession Road 4" and "4th Concession Rd" are "Concession 4"; "8th Line Rd" is "8th Line".
  [/\b(CONCESSION|CONC|CON) (?:ROAD|RD|LINE) (?=\d)/g, '$1 '],
  [/(?<=\d )(CONCESSION|CONC|CON) (?:ROAD|RD|LINE)\b/g, '$1'],
  [/\b(\d+) LINE (?:ROAD|RD)\b/g, '$1 LINE'],
  [/\b(?:COUNTY|CNTY|CTY|CO) (?:ROAD|RD) (?=\d)/g, 'CTY RD '],
  [/\b(?:REGIONAL|REGION|REG) (?:ROAD|RD) (?=\d)/g, 'REG RD '],
  [/^RR (?=\d)/g, 'REG RD '],
  // "Wellington County Road 29" is signed "Wellington Road 29" too.
  [/(?<=[A-Z] )(?:CTY|REG) RD (?=\d)/g, 'RD '],
];

/** Every text that `merged` changes contains one of these words. */
const telltale = new Set(
  (
    'THE SIDE SD TOWN TOWNLINE BY CUL ROND RIGHT KINGS PROVINCIAL ONTARIO TRANS NO NUMBER NUM CONCESSION CONC CON LINE COUNTY CNTY CTY ' +
    'CO REGIONAL REGION REG RR'
  ).split(' '),
);

function mergeWords(words: readonly string[]): string[] {
  if (!words.some((word) => telltale.has(word))) return [...words];
  let text = words.join(' ');
  for (const [pattern, replacement] of merged) text = text.replace(pattern, replacement);
  return text.split(' ').filter(Boolean);
}

const nameWords: ReadonlyMap<string, string> = new Map(
  Object.entries({
    SAINT: 'ST',
    SAINTE: 'ST',
    STE: 'ST',
    FT: 'FORT',
    DR: 'DOCTOR',
    SGT: 'SERGEANT',
    CAPT: 'CAPTAIN',
    COL: 'COLONEL',
    LT: 'LIEUTENANT',
    REV: 'REVEREND',
    JR: 'JUNIOR',
    SR: 'SENIOR',
  }),
);

/** Returns the name that all words together make, with no type or direction among them. */
export function foldName(words: readonly string[]): string {
  return nameKey(mergeWords(foldOrdinals(words)));
}

/** Joins the words of a name: abbreviations equal full words, and "Lake Shore" equals "Lakeshore". */
function nameKey(words: readonly string[]): string {
  return words.map((word) => nameWords.get(word) ?? spellOut(word)).join('');
}

const numberedRoad = /^([A-Z]*?)ROAD(\d{1,3}[A-Z]?)$/;

/** Returns whose road a numbered road is called, in one word: ESSEX of "Essex Road 34"; empty for "County Road 34", null for any other street. */
export function roadOwner(key: string): string | null {
  return numberedRoad.exec(key)?.[1]!.replace(/^(?:CTY|REG)$|DISTRICT$/, '') ?? null;
}

/**
 * Returns other keys of a numbered road: people call one road "County Road 34", "Regional Road 34", "Essex Road 34" and
 * "Road 34". The import and the lookup both use it: the register's roads are also stored under the general key.
 */
export function otherRoadKeys(key: string): string[] {
  const parts = numberedRoad.exec(key);
  if (!parts) return [];
  const [, prefix = '', number = ''] = parts;
  return ['CTYROAD', 'REGROAD'].filter((kind) => kind !== `${prefix}ROAD`).map((kind) => kind + number);
}
