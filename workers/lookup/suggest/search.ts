import { typedReadings, type TypedReading } from '../../../src/shared/addresses/typed-readings.ts';
import { BestStreets, type Among, type Wanted } from './best-streets.ts';
import type { NameList } from './name-list.ts';
import { namesNear } from './near-names.ts';
import { SHORTEST_WITH_ERROR, type PlaceNames, type PlaceSet } from './place-names.ts';

export interface StreetSearch {
  readonly words: readonly string[];
  readonly among: Among;
  /** Suggestions that are wanted. */
  readonly wanted: number;
  /** Most streets in the result. */
  readonly most: number;
}

/** What less likely searches add to the rank of a street. */
const PENALTY = { beginning: 3, error: 6 };

/** Names that are searched with a typing error; each costs about a tenth of a millisecond. */
const MOST_WITH_ERROR = 4;

/** Returns the streets that fit some words best, as indices of the list. */
export function findStreets(search: StreetSearch, list: NameList, places: PlaceNames): readonly number[] {
  const { words, among, wanted, most } = search;
  const best = new BestStreets(list, most);
  const readings = typedReadings(words);
  const found = new Map<TypedReading['place'], PlaceSet>();
  const placesOf = (place: TypedReading['place']): PlaceSet | null => {
    if (place === null) return null;
    let set = found.get(place);
    if (!set) found.set(place, (set = places.find(place)));
    return set;
  };
  if (words.length === 0) {
    const anything: TypedReading = { name: '', isWhole: false, types: null, directions: null, place: null, rank: 0 };
    best.offerCommon({ reading: anything, places: null, penalty: 0 }, among);
    return best.streets;
  }
  const offer = (reading: TypedReading, isWhole: boolean, penalty: number, set = placesOf(reading.place)): void => {
    const name = Buffer.from(reading.name);
    if (name.length === 0 || set?.targets.length === 0) return;
    const range = isWhole ? list.equalTo(name) : list.beginningWith(name);
    if (range.from < range.to) best.offerAll(range, { reading, places: set, penalty }, among);
  };
  for (const reading of readings) offer(reading, reading.isWhole, 0);
  if (best.streets.length === 0) {
    // "12 princ kingston"
    for (const reading of readings) if (reading.place !== null) offer(reading, false, PENALTY.beginning);
  }
  if (best.streets.length === 0 || (words.length === 1 && best.streets.length < wanted)) {
    offerNear(best, readings, { list, among, placesOf });
  }
  if (best.streets.length === 0) {
    for (const reading of readings) {
      if (reading.place !== null) offer(reading, false, PENALTY.error, places.findNear(reading.place));
    }
  }
  return best.streets;
}

/** Offers the streets whose names one typing error separates from those of the readings. */
function offerNear(
  best: BestStreets,
  readings: readonly TypedReading[],
  {
    list,
    among,
    placesOf,
  }: { list: NameList; among: Among; placesOf: (place: TypedReading['place']) => PlaceSet | null },
): void {
  const byName = new Map<string, Wanted[]>();
  for (const reading of readings) {
    const { name, place } = reading;
    if (name.length < SHORTEST_WITH_ERROR || /\d/.test(name)) continue;
    const set = placesOf(place);
    if (set?.targets.length === 0) continue;
    const wanted = byName.get(name) ?? [];
    wanted.push({ reading, places: set, penalty: PENALTY.error });
    byName.set(name, wanted);
  }
  for (const [name, wanted] of [...byName].slice(0, MOST_WITH_ERROR)) {
    for (const range of namesNear(list, Buffer.from(name))) {
      for (const one of wanted) best.offerAll(range, one, among);
    }
  }
}
