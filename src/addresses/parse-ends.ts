/** What stands behind the places of an address, or before its province: taken off the end, layer by layer. */
import { type AddressWords, slice, without, deliveryWords } from './address-words.ts';
import { fault, PART_OF_TOWN } from './faults.ts';
import { municipalityKey } from './municipality-name.ts';
import { isPartOfTown, isRemark } from './noise.ts';
import { isCivicNumber, isRoadNumberSign } from './parse-civic.ts';
import { type MunicipalityNames, isKnownPlace, LONGEST_NAME } from './places.ts';
import type { Reading } from './reading.ts';
import { ontario, otherProvinces, canada, otherCountries, stateCodes, stateNames } from './regions.ts';
import { isPartOfHouse, unitPhrase, isDesignator } from './units.ts';
import { isPostalArea, postalCode, repairedPostalCode } from './postal-code.ts';
import { isUpperTierName } from './municipal-structure.ts';

export interface Ends extends Tail {
  /** Name of the first delivery phrase that was removed; null when none was. */
  readonly delivery: string | null;
  /** Of a unit phrase behind the town. */
  readonly unit: string | null;
  readonly faults: Reading['faults'];
}

/**
 * Takes country, province, postal code, delivery phrases, units and remarks off an address, in turn until none is left, so that none of
 * them hides another: "…, Kingston, ON RR 3 K7P 1J9", "…, Kingston, Unit 5, ON".
 */
export function takeEnds(address: AddressWords, names: MunicipalityNames): Ends {
  const isMunicipality = (words: readonly string[]): boolean => names.has(municipalityKey(words));
  let ends: Ends = { rest: address, postalCode: null, elsewhere: null, delivery: null, unit: null, faults: [] };
  for (let behindTail = -1; behindTail !== ends.rest.words.length;) {
    const tail = takeTail(ends.rest, isMunicipality, ends);
    behindTail = tail.rest.words.length;
    const { rest, label } = removeDelivery(tail.rest);
    ends = withoutLast(
      { ...tail, rest, delivery: ends.delivery ?? label, unit: ends.unit, faults: ends.faults },
      names,
    );
  }
  return ends;
}

/** Words of the longest unit phrase: "SUITE # 100 A". */
const LONGEST_UNIT = 4;

/** A civic number and one word of a street must stay. */
const LEAST_REST = 2;

function withoutLast(ends: Ends, names: MunicipalityNames): Ends {
  const unit = unitAtEnd(ends.rest, names);
  if (unit !== null) return { ...ends, rest: slice(ends.rest, 0, unit.at), unit: ends.unit ?? unit.text };
  const town = partOfTownAtEnd(ends.rest, names);
  if (town !== null)
    return { ...ends, rest: slice(ends.rest, 0, town), faults: [fault('WORDS_LEFT_OUT', PART_OF_TOWN)] };
  const from = remarkAtEnd(ends.rest, names);
  if (from === null) return ends;
  const faults = [fault('WORDS_LEFT_OUT', 'a remark at the end was left out')];
  return { ...ends, rest: slice(ends.rest, 0, from), faults };
}

function unitAtEnd({ words, begins }: AddressWords, names: MunicipalityNames): { at: number; text: string } | null {
  for (let at = Math.max(LEAST_REST, words.length - LONGEST_UNIT); at < words.length; at++) {
    const phrase = isRoadNumberSign(words, at) ? null : unitPhrase(words, at);
    if (phrase === null || at + phrase.length < words.length) continue;
    return { at: words[at - 1] === '-' ? at - 1 : at, text: phrase.unit };
  }
  const at = words.length - 1;
  const text = words[at] ?? '';
  if (at < LEAST_REST || !isPartOfHouse(text)) return null;
  return begins[at] || endsInPlace(words.slice(0, at), names) ? { at, text } : null;
}

/** Where a part of the town begins that is named by its side or its age alone, as a part behind the town: "Kingston (Old East)". */
function partOfTownAtEnd({ words, begins }: AddressWords, names: MunicipalityNames): number | null {
  const part = begins.lastIndexOf(true);
  const last = words.slice(part);
  if (part <= LEAST_REST || !isPartOfTown(last) || isKnownPlace(municipalityKey(last), names)) return null;
  return endsInTown(words.slice(0, part), names) ? part : null;
}

/** Where a remark begins in the last part. In "399, The West Mall" that part is the street. */
function remarkAtEnd({ words, begins }: AddressWords, names: MunicipalityNames): number | null {
  const part = begins.lastIndexOf(true);
  const last = words.slice(part);
  // Mostly it is the town.
  if (part < LEAST_REST || (last.length === 1 && !isRemark(last)) || names.has(municipalityKey(last))) return null;
  const from = part + placeLength(words, part, names);
  if (from === words.length || !isRemark(words.slice(from))) return null;
  const hasStreet = words.some((word, at) => at + 1 < part && isCivicNumber(word) && !begins[at + 1]);
  return hasStreet && !isKnownPlace(municipalityKey(words.slice(from)), names) ? from : null;
}

/** Most words of a province's name. */
const LONGEST_PROVINCE = 4;

/** Counts the words of a province, and of a town where none stands before, that a part begins with: no remark takes them along. */
function placeLength(words: readonly string[], part: number, names: MunicipalityNames): number {
  const longest = (from: number, most: number, isIt: (run: readonly string[]) => boolean): number => {
    for (let n = Math.min(most, words.length - from); n > 0; n--) if (isIt(words.slice(from, from + n))) return n;
    return 0;
  };
  const isTown = (run: readonly string[]): boolean => names.has(municipalityKey(run));
  const town = endsInPlace(words.slice(0, part), names) ? 0 : longest(part, LONGEST_NAME, isTown);
  const isProvince = (name: string): boolean => ontario.has(name) || otherProvinces.has(name);
  return town + longest(part + town, LONGEST_PROVINCE, (run) => isProvince(run.join(' ')));
}

function endsInPlace(words: readonly string[], names: MunicipalityNames): boolean {
  return ontario.has(words.at(-1) ?? '') || endsInTown(words, names);
}

function endsInTown(words: readonly string[], names: MunicipalityNames): boolean {
  for (let n = 1; n <= LONGEST_NAME; n++) if (names.has(municipalityKey(words.slice(-n)))) return true;
  return false;
}

/** "# 5", "NO 5", "5A". */
const number = '(?:(?:#|NO|NUMBER) )*\\d+[A-Z]?';

const form = (pattern: string): RegExp => new RegExp(`\\b${pattern.replaceAll('~', number)}(?= |$)`, 'g');

/** "PLAN 1234", "PLAN 13M - 123", "RP 13R - 1234", and its "PT LOT 5", "LOTS 1 - 5". */
const plan = '(?:(?:REGISTERED|REFERENCE|REG) )?(?:PLAN|RP) (?:(?:#|NO|NUMBER) )?(?:\\d{1,2}[MR] -? ?)?\\d{1,5}[A-Z]?';
const lots = '(?:(?:PT|PART) )?(?:LOTS?|LT|BLOCK|BLK|PARTS?|PT) \\d{1,4}(?: (?:-|TO|AND) \\d{1,4})?';

/**
 * Forms of postal delivery that are not a place, in the words of Canada Post's guide: the name in a refusal, and the pattern (words joined
 * by a space). Without a name it is a remark to the carrier.
 */
const forms: readonly (readonly [label: string | null, pattern: RegExp])[] = [
  ['post office box', form('(?:(?:P O|PO|POSTAL|POST OFFICE|LOCK|MAIL) )?(?:BOX|BAG|DRAWER) ~')],
  ['post office box', form('(?:CP|C P|CASE POSTALE) ~')],
  ['rural route', form('(?:RR|R R|RURAL ROUTE|ROUTE RURALE|SS|MR) ~')],
  ['rural route', form('(?:SITE|COMP|COMPARTMENT|EMPLACEMENT|GROUP|GRP) ~')],
  ['general delivery', form('(?:GENERAL DELIVERY|POSTE RESTANTE|GD)')],
  ['postal station', form('(?:STN|SUCC|SUCCURSALE|RPO|LCD) (?:CENTRE VILLE|[A-Z]+|\\d+[A-Z]?)')],
  ['postal station', form('STATION (?:[A-DF-MO-RT-VX-Z]|MAIN|FORCES)')],
  ['lot and concession', form('(?:(?:PT|PART) )?(?:LOT|LT) (?:NO )?\\d+ (?:CON|CONC|CONCESSION) (?:NO )?\\d+')],
  ['lot of a plan', form(`${lots} ${plan}`)],
  ['lot of a plan', form(`${plan}(?: ${lots})?`)],
  [null, form('(?:BUZZER|BUZZ|INTERCOM)(?: CODE)? ~')],
  [null, form('(?:RETURN|RETURNED) MAIL')],
];

/** Every form contains one of these words. */
const telltale = new Set([
  ...deliveryWords,
  ...'C CASE R RURAL ROUTE EMPLACEMENT DELIVERY POSTE GD STN STATION SUCC SUCCURSALE LOT LT PLAN RP RETURN RETURNED'.split(
    ' ',
  ),
]);

/** Removes post office boxes, rural routes and the like from an address, because they say nothing about the place. */
export function removeDelivery(address: AddressWords): {
  /** The address without delivery phrases. */
  readonly rest: AddressWords;
  /** Name of the first phrase that was removed; null when none was. */
  readonly label: string | null;
} {
  if (!address.words.some((word) => telltale.has(word))) return { rest: address, label: null };
  let rest = address;
  let label: string | null = null;
  for (const [name, pattern] of forms) {
    const text = rest.words.join(' ');
    // From the end on, so that the places of earlier phrases stay.
    for (const { 0: phrase, index } of [...text.matchAll(pattern)].reverse()) {
      const before = text.slice(0, index);
      if (phrase.startsWith('RR ') && isRegionalRoad(before)) continue;
      label ??= name;
      rest = without(rest, wordsIn(before), wordsIn(phrase));
    }
  }
  return { rest, label };
}

function wordsIn(text: string): number {
  return text.split(' ').filter(Boolean).length;
}

/** "1234 RR 25" is Regional Road 25: the only street words behind a civic number. */
function isRegionalRoad(before: string): boolean {
  return /^(?:\w+ - )?\d{1,6}[A-Z]? $/.test(before);
}

export interface Tail {
  /** What stands before country, province and postal code. */
  readonly rest: AddressWords;
  /** Six characters, or the three of its area; null when there is none. */
  readonly postalCode: string | null;
  /** The province, state or country outside Ontario that the address names, as written. */
  readonly elsewhere: string | null;
}

/**
 * Takes country, province and postal code off the end of an address, in any order. "Ontario St" is a street.
 * @param known what was taken before, where something else stood behind the rest.
 */
export function takeTail(
  address: AddressWords,
  isMunicipality: (words: readonly string[]) => boolean,
  known: Pick<Tail, 'postalCode' | 'elsewhere'> = { postalCode: null, elsewhere: null },
): Tail {
  const tail = new TailReader([...address.words], isMunicipality, known);
  while (tail.takeOne());
  const rest = { words: tail.words, begins: address.begins.slice(0, tail.words.length) };
  return {
    rest: withoutProvince(tail.takePostalCodeInside(rest), isMunicipality),
    postalCode: tail.postalCode,
    elsewhere: tail.elsewhere,
  };
}

/**
 * "Kingston, Ontario, 5 Main St": the province, or the country, as a part of its own in the middle. "Ancaster ON, 35 …", "35 … Rd ON,
 * Ancaster": the province at the end of a part; in full only behind a town, because "rue Ontario" is a street.
 */
function withoutProvince(rest: AddressWords, isMunicipality: (words: readonly string[]) => boolean): AddressWords {
  const { words, begins } = rest;
  const at = words.findIndex((word, i) => {
    if (!begins[i + 1] || !(ontario.has(word) || canada.has(word))) return false;
    return begins[i] || word === 'ON' || word === 'ONT' || isMunicipality(words.slice(begins.lastIndexOf(true, i), i));
  });
  return at < 0 ? rest : withoutProvince(without(rest, at, 1), isMunicipality);
}

/**
 * Last word of a region's name -> number of words in the longest name with that ending. Most words are not in the map.
 */
const regionEnds = new Map<string, number>();
for (const name of [...ontario, ...otherProvinces, ...otherCountries]) {
  const words = name.split(' ');
  const last = words.at(-1)!;
  regionEnds.set(last, Math.max(words.length, regionEnds.get(last) ?? 0));
}

class TailReader {
  words: string[];
  postalCode: string | null;
  elsewhere: string | null;
  readonly #isMunicipality: (words: readonly string[]) => boolean;

  constructor(
    words: string[],
    isMunicipality: (words: readonly string[]) => boolean,
    { postalCode: code, elsewhere }: Pick<Tail, 'postalCode' | 'elsewhere'>,
  ) {
    this.words = words;
    this.postalCode = code;
    this.elsewhere = elsewhere;
    this.#isMunicipality = isMunicipality;
  }

  /** Takes one part off the end; false when none is left. */
  takeOne(): boolean {
    const isPart = this.#takeCountry() || this.#takePostalCode() || this.#takeZip() || this.#takeRegion();
    return isPart || this.#takeState() || this.#takePostalArea();
  }

  #takeCountry(): boolean {
    const [before, last = ''] = this.words.slice(-2);
    // "Toronto, ON, CA"; "CA 95014" is California.
    const isCanada = canada.has(last) || (last === 'CA' && before !== undefined && ontario.has(before));
    if (isCanada) this.words.pop();
    return isCanada;
  }

  #takePostalCode(): boolean {
    const { words } = this;
    for (const [parts, count] of lastParts(words)) {
      const code = postalCode(parts) ?? repairedPostalCode(parts, ontario.has(words.at(-1 - count) ?? ''));
      // One that stands there twice counts once, and a second one is not left out.
      if (code === null || (this.postalCode !== null && code !== this.postalCode)) continue;
      this.postalCode = code;
      words.length -= count;
      return true;
    }
    return false;
  }

  /** "K7P" alone. "Unit K7P" is a unit. */
  #takePostalArea(): boolean {
    const [before = '', last = ''] = this.words.slice(-2);
    if (this.postalCode !== null || this.words.length < 3 || !isPostalArea(last) || isDesignator(before)) return false;
    this.words.pop();
    this.postalCode = last;
    return true;
  }

  #takeZip(): boolean {
    if (!/^\d{4,5}$/.test(this.words.at(-1) ?? '')) return false;
    const text = this.words.slice(-5).join(' ');
    const zip = /(?<= )\d{5}(?: - \d{4})?$/.exec(text)?.[0].split(' ').length ?? 0;
    if (zip === 0) return false;
    const before = this.words.slice(0, -zip);
    const state = [1, 2]
      .map((n) => before.slice(-n).join(' '))
      .find((name) => stateCodes.has(name) || stateNames.has(name));
    if (state === undefined) return false;
    this.elsewhere = `${state} (United States)`;
    this.words = before;
    return true;
  }

  #takeRegion(): boolean {
    const longest = regionEnds.get(this.words.at(-1) ?? '') ?? 0;
    for (let n = Math.min(longest, this.words.length); n > 0; n--) {
      const name = this.words.slice(-n).join(' ');
      const isElsewhere = otherProvinces.has(name) || otherCountries.has(name);
      if (!isElsewhere && !ontario.has(name)) continue;
      // Scotland is a village in Brant, too.
      if (isElsewhere && this.#isMunicipality(this.words.slice(-n))) return false;
      if (isElsewhere) this.elsewhere ??= name;
      this.words.length -= n;
      return true;
    }
    return false;
  }

  /**
   * Takes a state without a ZIP code: only the last word, and only when it is not part of a municipality ("Dysart et
   * al").
   */
  #takeState(): boolean {
    const last = this.words.at(-1) ?? '';
    if (!stateCodes.has(last) || this.words.length < 3 || this.elsewhere !== null) return false;
    // "2nd Fl" is a floor, and not in Florida.
    if (this.#endsInMunicipality(0) || unitPhrase(this.words, this.words.length - 2)?.length === 2) return false;
    // "Simcoe Co" is the county, not Colorado.
    if (last === 'CO' && [1, 2, 3, 4].some((n) => isUpperTierName(this.words.slice(-1 - n, -1)))) return false;
    this.words.pop();
    if (last !== 'CA' || !this.#endsInMunicipality(0)) this.elsewhere = `${last} (United States)`;
    return true;
  }

  #endsInMunicipality(from: number): boolean {
    for (let at = Math.max(from, this.words.length - 6); at < this.words.length; at++) {
      if (this.#isMunicipality(this.words.slice(at))) return true;
    }
    return false;
  }

  /** Takes a whole postal code in the middle, which cannot be anything else, or a postal area that begins a part. */
  takePostalCodeInside(rest: AddressWords): AddressWords {
    if (this.postalCode !== null) return rest;
    for (let at = rest.words.length - 1; at > 0; at--) {
      for (const [parts, count] of lastParts(rest.words.slice(0, at + 1))) {
        this.postalCode = postalCode(parts);
        if (this.postalCode !== null) return without(rest, at + 1 - count, count);
      }
    }
    const area = rest.words.findIndex((word, at) => at > 0 && rest.begins[at] && isPostalArea(word));
    if (area < 0) return rest;
    this.postalCode = rest.words[area]!;
    return without(rest, area, 1);
  }
}

/** "K7L1 A1", "K 7L1A1": a whole code whose blanks stand elsewhere. */
function codeInPieces(words: readonly string[]): [text: string, count: number][] {
  if (!/\d$/.test(words.at(-1) ?? '')) return [];
  for (let count = 2, text = words.at(-1) ?? ''; count <= 3 && text.length < 6; count++) {
    text = (words.at(-count) ?? '') + text;
    if (postalCode(text) !== null) return [[text, count]];
  }
  return [];
}

/** The last one, two or three words (with a hyphen) as one text that may be a postal code. */
function lastParts(words: readonly string[]): [text: string, count: number][] {
  const first = words.at(-1) ?? '';
  if (first.length !== 3 && first.length !== 6) return codeInPieces(words);
  const [third, second] = [words.at(-3), words.at(-2)];
  const parts: [string, number][] = [[first, 1]];
  if (second?.length === 3 && first.length === 3) parts.push([second + first, 2]);
  if (third !== undefined && second === '-') parts.push([third + first, 3]);
  return parts;
}
