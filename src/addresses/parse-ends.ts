/** What stands behind the places of an address, or before its province: taken off the end, layer by layer. */
import { slice, type AddressWords } from './address-words.ts';
import { fault } from './faults.ts';
import { municipalityKey } from './municipality-name.ts';
import { isRemark } from './noise.ts';
import { removeDelivery } from './parse-delivery.ts';
import { isCivicNumber, isRoadNumberSign } from './parse-civic.ts';
import { takeTail, type Tail } from './parse-tail.ts';
import { isKnownPlace, LONGEST_NAME, type MunicipalityNames } from './places.ts';
import type { Reading } from './reading.ts';
import { ontario, otherProvinces } from './regions.ts';
import { isPartOfHouse, unitPhrase } from './units.ts';

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
  const from = remarkAtEnd(ends.rest, names);
  if (from === null) return ends;
  const faults = [fault('WORDS_LEFT_OUT', 'a remark at the end was left out')];
  return { ...ends, rest: slice(ends.rest, 0, from), faults };
}

function unitAtEnd({ words, begins }: AddressWords, names: MunicipalityNames): { at: number; text: string } | null {
  for (let at = Math.max(LEAST_REST, words.length - LONGEST_UNIT); at < words.length; at++) {
    const phrase = isRoadNumberSign(words, at) ? null : unitPhrase(words, at);
    if (phrase !== null && at + phrase.length === words.length) return { at, text: phrase.unit };
  }
  const at = words.length - 1;
  const text = words[at] ?? '';
  if (at < LEAST_REST || !isPartOfHouse(text)) return null;
  return begins[at] || endsInPlace(words.slice(0, at), names) ? { at, text } : null;
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
  if (ontario.has(words.at(-1) ?? '')) return true;
  for (let n = 1; n <= LONGEST_NAME; n++) if (names.has(municipalityKey(words.slice(-n)))) return true;
  return false;
}
