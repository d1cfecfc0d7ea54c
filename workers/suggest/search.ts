import { type TypedPlace, type TypedReading, typedReadings } from './typed-readings.ts';
import { type Among, type Wanted, BestStreets } from './best-streets.ts';
import type { NameList, Range } from './name-list.ts';
import { type PlaceNames, type PlaceSet, SHORTEST_WITH_ERROR } from './place-names.ts';

/** What less likely searches add to the rank of a street. */
const PENALTY = { beginning: 3, error: 6 };

/** Streets of a civic number that are all looked at when nothing else was typed. */
const SHORT_ROW = 4000;

/** Names that are searched with a typing error; each costs about a tenth of a millisecond. */
const MOST_WITH_ERROR = 4;

/** Returns the streets that fit some words best, as indices of the list. */
export function findStreets(
  question: {
    readonly words: readonly string[];
    readonly among: Among;
    /** Neither typing errors nor names that are incomplete in front of others. */
    readonly isStrict: boolean;
    /** Suggestions that are wanted. */
    readonly wanted: number;
    /** Most streets in the result. */
    readonly most: number;
  },
  list: NameList,
  places: PlaceNames,
): readonly number[] {
  const { words, isStrict, wanted } = question;
  const search = new StreetSearch(question, list, places);
  if (words.length === 0) search.offerAnything();
  else {
    search.offerExact();
    if (isStrict) return search.streets;
    if (search.streets.length === 0) search.offerIncomplete();
    const isFirstWord = words.length === 1 && search.streets.length < wanted;
    if (search.streets.length === 0 || isFirstWord) search.offerMisspelt();
    if (search.streets.length === 0) search.offerInMisspeltPlace();
  }
  return search.streets;
}

/** Finds the places of a reading. */
type FindPlaces = (place: TypedReading['place']) => PlaceSet | null;

/** The search for one text, from the likeliest ways to fit to the least likely ones. */
class StreetSearch {
  readonly #best: BestStreets;
  readonly #among: Among;
  readonly #list: NameList;
  readonly #places: PlaceNames;
  readonly #readings: readonly TypedReading[];
  readonly #placesOf: FindPlaces;

  constructor({ words, among, most }: Parameters<typeof findStreets>[0], list: NameList, places: PlaceNames) {
    this.#best = new BestStreets(list, most);
    this.#among = among;
    this.#list = list;
    this.#places = places;
    this.#readings = typedReadings(words);
    this.#placesOf = remembered((place) => places.find(place));
  }

  get streets(): readonly number[] {
    return this.#best.streets;
  }

  /** Offers streets with many addresses, where nothing of a street was typed yet. */
  offerAnything(): void {
    const reading: TypedReading = { name: '', isWhole: false, types: null, directions: null, place: null, rank: 0 };
    const wanted: Wanted = { reading, places: null, penalty: 0 };
    const { numbers } = this.#among;
    const isShort = numbers !== null && numbers.count <= SHORT_ROW;
    if (isShort) this.#best.offerAll({ from: 0, to: this.#list.count }, wanted, this.#among);
    else this.#best.offerCommon(wanted, this.#among);
  }

  offerExact(): void {
    for (const reading of this.#readings) this.#offer(reading, reading.isWhole, 0, this.#placesOf);
  }

  /** "12 princ kingston": the beginning of a name in front of a municipality. */
  offerIncomplete(): void {
    for (const reading of this.#readings) {
      if (reading.place !== null) this.#offer(reading, false, PENALTY.beginning, this.#placesOf);
    }
  }

  /** Offers the streets whose names one typing error separates from those of the readings. */
  offerMisspelt(): void {
    for (const [name, wanted] of [...this.#misspelt()].slice(0, MOST_WITH_ERROR)) {
      for (const range of namesNear(this.#list, Buffer.from(name))) {
        for (const one of wanted) this.#best.offerAll(range, one, this.#among);
      }
    }
  }

  offerInMisspeltPlace(): void {
    const near = remembered((place) => this.#places.findNear(place));
    for (const reading of this.#readings) {
      if (reading.place !== null) this.#offer(reading, false, PENALTY.error, near);
    }
  }

  #offer(reading: TypedReading, isWhole: boolean, penalty: number, find: FindPlaces): void {
    if (reading.name === '') return;
    const name = Buffer.from(reading.name);
    const range = isWhole ? this.#list.equalTo(name) : this.#list.beginningWith(name);
    // Before the places are searched, which costs more.
    if (range.from === range.to) return;
    const places = find(reading.place);
    if (places?.targets.length !== 0) this.#best.offerAll(range, { reading, places, penalty }, this.#among);
  }

  /** Names that may have a typing error, with what else fits. Names with a number are never corrected: 5W is not 5E. */
  #misspelt(): Map<string, Wanted[]> {
    const byName = new Map<string, Wanted[]>();
    for (const reading of this.#readings) {
      const { name } = reading;
      if (name.length < SHORTEST_WITH_ERROR || /\d/.test(name)) continue;
      const places = this.#placesOf(reading.place);
      if (places?.targets.length === 0) continue;
      const wanted = byName.get(name) ?? [];
      wanted.push({ reading, places, penalty: PENALTY.error });
      byName.set(name, wanted);
    }
    return byName;
  }
}

/** Finds the places of each name once: many readings end in the same words. */
function remembered(find: (place: TypedPlace) => PlaceSet): FindPlaces {
  const found = new Map<string, PlaceSet>();
  return (place) => {
    if (place === null) return null;
    const key = `${place.isWhole ? '=' : ''}${place.name}`;
    let set = found.get(key);
    if (!set) found.set(key, (set = find(place)));
    return set;
  };
}

/**
 * Returns the ranges of names whose beginning one typing error separates from a text: a letter added, left out, changed,
 * or swapped with its neighbour. Ranges may overlap, and those that begin exactly so may be among them.
 */
export function namesNear(list: NameList, text: Buffer): Range[] {
  const near: Range[] = [];
  const add = (range: Range): void => {
    if (range.from < range.to) near.push(range);
  };
  let node: Range = { from: 0, to: list.count };
  for (let depth = 0; depth < text.length && node.from < node.to; depth++) {
    const typed = text[depth]!;
    const rest = text.subarray(depth + 1);
    // A letter too many.
    add(list.within(node, depth, rest));
    if (depth + 1 < text.length) {
      const swapped = Buffer.concat([text.subarray(depth + 1, depth + 2), Buffer.of(typed), text.subarray(depth + 2)]);
      add(list.within(node, depth, swapped));
    }
    let next: Range = { from: 0, to: 0 };
    for (const { byte, part } of list.children(node, depth)) {
      if (byte === typed) next = part;
      else {
        // Another letter, or a letter that is missing.
        add(list.within(part, depth + 1, rest));
        add(list.within(part, depth + 1, text.subarray(depth)));
      }
    }
    node = next;
  }
  return near;
}
