/** What stands behind the places of an address, or before its province: taken off the end, layer by layer. */
import { slice, type AddressWords } from './address-words.ts';
import { fault } from './faults.ts';
import { municipalityKey } from './municipality-name.ts';
import { isRemark } from './noise.ts';
import { removeDelivery } from './parse-delivery.ts';
import { isCivicNumber, isRoadNumberSign } from './parse-civic.ts';
import { takeTail, type Tail } from './parse-tail.ts';
import { isKnownPlace, type MunicipalityNames } from './places.ts';
import type { Reading } from './reading.ts';
import { ontario } from './regions.ts';
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
  for (let left = -1; left !== ends.rest.words.length;) {
    left = ends.rest.words.length;
    const tail = takeTail(ends.rest, isMunicipality, ends);
    const { rest, label } = removeDelivery(tail.rest);
    ends = withoutLast({ ...ends, ...tail, rest, delivery: ends.delivery ?? label }, names);
  }
  return ends;
}

/** Words of the longest unit phrase: "SUITE # 100 A". */
const LONGEST_UNIT = 4;

/** A civic number and one word of a street must stay. */
const LEAST_REST = 2;

function withoutLast(ends: Ends, names: MunicipalityNames): Ends {
  const { words, begins } = ends.rest;
  const cut = (at: number): AddressWords => slice(ends.rest, 0, at);
  for (let at = Math.max(LEAST_REST, words.length - LONGEST_UNIT); at < words.length; at++) {
    const phrase = isRoadNumberSign(words, at) ? null : unitPhrase(words, at);
    if (phrase !== null && at + phrase.length === words.length)
      return { ...ends, rest: cut(at), unit: ends.unit ?? phrase.unit };
  }
  const last = words.length - 1;
  if (last >= LEAST_REST && isPartOfHouse(words[last]!) && (begins[last] || endsInPlace(words.slice(0, last), names))) {
    return { ...ends, rest: cut(last), unit: ends.unit ?? words[last]! };
  }
  const from = begins.lastIndexOf(true);
  if (from < LEAST_REST || !isRemark(words.slice(from)) || isKnownPlace(municipalityKey(words.slice(from)), names))
    return ends;
  // "399, The West Mall": the part is the street.
  const hasStreet = words.slice(0, from).some((word, at) => isCivicNumber(word) && at + 1 < from && !begins[at + 1]);
  return hasStreet
    ? { ...ends, rest: cut(from), faults: [fault('WORDS_LEFT_OUT', 'a remark at the end was left out')] }
    : ends;
}

/** Most words of a municipality's name. */
const LONGEST_NAME = 7;

function endsInPlace(words: readonly string[], names: MunicipalityNames): boolean {
  if (ontario.has(words.at(-1) ?? '')) return true;
  for (let n = 1; n <= LONGEST_NAME; n++) if (names.has(municipalityKey(words.slice(-n)))) return true;
  return false;
}
