import { type AddressWords, isBroken, slice } from './address-words.ts';
import {
  isCommunity,
  divisionsOfMunicipality,
  citiesWithPart,
  divisionsOfKind,
  isUpperTierName,
  namedCounty,
} from './municipal-structure.ts';
import { direction } from './directions.ts';
import { fault } from './faults.ts';
import { municipalityKey } from './municipality-name.ts';
import { isOneEdit } from './one-edit.ts';
import type { PlaceCut } from './reading.ts';

/** Known municipality names, by key. */
export interface MunicipalityNames {
  has(key: string): boolean;
  /** Every key of a length. */
  ofLength(length: number): readonly string[];
}

/** Words of the longest name: "Leeds and the Thousand Islands Township", "Regional Municipality of Hamilton Wentworth". */
export const LONGEST_NAME = 7;

/** Names in one address: a part of a town, the town, its county. */
const MOST_NAMES = 3;

/** Words that must remain in front: a civic number and one word of a street. */
const LEAST_HEAD = 2;

/** Returns the ways to read places at the end of an address, or at its beginning ("Newmarket, 5 Main St"). */
export function cutPlaces(address: AddressWords, names: MunicipalityNames): PlaceCut[] {
  const cuts: PlaceCut[] = [];
  for (const words of [address, ...townFirst(address, names)]) {
    addCuts({ head: words, municipalities: [], divisions: [], faults: [] }, names, MOST_NAMES, cuts);
  }
  const placed = cuts.filter(({ municipalities }) => municipalities.length > 0);
  return placed.length > 0 ? placed : cuts;
}

/** Adds the cut with a place, then those with a further name before it. */
function addCuts(cut: PlaceCut, names: MunicipalityNames, left: number, cuts: PlaceCut[]): void {
  const { head } = cut;
  const end = head.words.length;
  if (left === 0) return;
  for (let from = Math.max(LEAST_HEAD, end - LONGEST_NAME); from < end; from++) {
    if (isBroken(head, from, end) || belongsTogether(head, from, names)) continue;
    const places = placesOf(head.words.slice(from), names);
    for (const place of places) {
      const next: PlaceCut = {
        head: slice(head, 0, from),
        municipalities: place.key === null ? cut.municipalities : [place.key, ...cut.municipalities],
        divisions: place.divisions === null ? cut.divisions : [place.divisions, ...cut.divisions],
        faults: cut.faults,
      };
      cuts.push(next);
      addCuts(next, names, left - 1, cuts);
    }
    // The end of a name is not another name: "Chatham-Kent" is not Chatham in Kent.
    if (places.length > 0) return;
  }
}

/** The word before a name is part of it: "EAST | HAWKESBURY" is the township, "REGION OF | DURHAM" the region. */
function belongsTogether({ words, begins }: AddressWords, from: number, names: MunicipalityNames): boolean {
  const before = words[from - 1]!;
  if (begins[from] || (before !== 'OF' && direction(before) === null)) return false;
  return before === 'OF' || isKnownPlace(municipalityKey(words.slice(from - 1)), names);
}

interface Place {
  /** Null for a county. */
  readonly key: string | null;
  /** Census divisions that the words allow; null for all. */
  readonly divisions: readonly string[] | null;
  readonly isBare: boolean;
}

/** What words may name: a municipality, a county, or one of both ("Simcoe"). */
function placesOf(words: readonly string[], names: MunicipalityNames): Place[] {
  const whole = municipalityKey(words);
  const places: Place[] = [];
  const county = namedCounty(words, whole);
  if (county !== null) places.push({ key: null, ...county });
  // The register itself may write "Huron County" for a town.
  if (county?.isBare === false && whole === words.join('') && names.has(whole)) places.push(municipality(whole));
  if (county?.isBare === false) return places;
  if (whole !== '' && names.has(whole)) places.push({ ...municipality(whole), divisions: divisionsOfKind(words) });
  else if (words.length > 1 && /^(?:TWP|TOWNSHIP)$/.test(words.at(-1)!)) places.push(...township(words, names));
  return places;
}

function municipality(key: string): Place {
  return { key, divisions: null, isBare: false };
}

/** "Selwyn Township" is Selwyn, and "Hamilton Township" is not the city. */
function township(words: readonly string[], names: MunicipalityNames): Place[] {
  const key = municipalityKey(words.slice(0, -1));
  return names.has(key) ? [{ ...municipality(key), divisions: divisionsOfKind(words) }] : [];
}

/** Says whether a name is that of a place, in the register or not. */
export function isKnownPlace(key: string, names: MunicipalityNames): boolean {
  return names.has(key) || divisionsOfMunicipality(key) !== null || citiesWithPart(key).length > 0 || isCommunity(key);
}

/** "Newmarket, 5 Main St", "Newmarket 5 Main St": the same with the town at the end. */
function townFirst(address: AddressWords, names: MunicipalityNames): AddressWords[] {
  const { words, begins } = address;
  const number = words.findIndex((word) => /^\d/.test(word));
  if (number < 1 || number > LONGEST_NAME || isBroken(address, 0, number)) return [];
  const town = words.slice(0, number);
  if (!names.has(municipalityKey(town))) return [];
  return [
    {
      words: [...words.slice(number), ...town],
      begins: [...begins.slice(number), ...town.map((_, i) => i === 0)],
    },
  ];
}

/** Names shorter than this are not corrected. */
const SHORTEST_CORRECTED = 5;

/** Most words of a misspelt name. */
const LONGEST_CORRECTED = 4;

/** Reads places like `cutPlaces` where the last name has one typing error. A name of another place is no error. */
export function cutMisspeltPlaces(address: AddressWords, names: MunicipalityNames): PlaceCut[] {
  const cuts: PlaceCut[] = [];
  const { words } = address;
  for (let n = Math.min(LONGEST_CORRECTED, words.length - LEAST_HEAD); n > 0; n--) {
    const from = words.length - n;
    const typed = words.slice(from);
    const key = municipalityKey(typed);
    if (key.length < SHORTEST_CORRECTED || /\d/.test(key) || isBroken(address, from, words.length)) continue;
    if (isKnownPlace(key, names) || isUpperTierName(typed) || namedCounty(typed) !== null) continue;
    const near = [key.length - 1, key.length, key.length + 1]
      .flatMap((length) => names.ofLength(length))
      .filter((name) => isOneEdit(key, name));
    for (const name of near) {
      cuts.push({
        head: slice(address, 0, from),
        municipalities: [name],
        divisions: [],
        faults: [fault('MUNICIPALITY_CORRECTED', `${typed.join(' ')} read as ${name}`)],
      });
    }
  }
  return cuts;
}
