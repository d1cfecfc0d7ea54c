import type { Suggestion } from '../../src/messages/lookup.ts';
import { formatAddress, formatStreet } from '../../src/addresses/format.ts';
import { type TypedAddress, parseTyped, typedPlaces } from './typed-readings.ts';
import { componentsAt } from '../engine/gazetteer/candidate.ts';
import type { PlacedPoint } from '../engine/gazetteer/civic-block.ts';
import { geocode } from '../engine/gazetteer/geocode.ts';
import type { GazetteerStore } from '../engine/gazetteer/store.ts';
import type { AliasTarget } from '../engine/gazetteer/tables.ts';
import type { Street } from '../engine/gazetteer/street-record.ts';
import type { Among } from './best-streets.ts';
import type { NameList } from './name-list.ts';
import type { NumberRow } from './number-row.ts';
import { PlaceNames } from './place-names.ts';
import { findStreets } from './search.ts';

/** Streets whose rows are read per suggestion wanted: some have another postal code, or share their text with another. */
const READ_PER_SUGGESTION = 4;

/** Municipalities that come before the streets when both fit. */
const PLACES_FIRST = 2;

/** More than the rows of any municipality. */
const OWN_NAME = 1e9;

const COUNTRY = ', Canada';

/** Completes what someone types. */
export class Suggester {
  readonly #source: ConstructorParameters<typeof Suggester>[0];
  readonly #places: PlaceNames;

  constructor(source: {
    readonly store: GazetteerStore;
    readonly list: NameList;
    /** Returns the streets that have a civic number. */
    numbers(civic: number): NumberRow;
  }) {
    this.#source = source;
    this.#places = new PlaceNames(source.store, source.list);
  }

  /** Returns up to `limit` suggestions, the best first; none when nothing fits. */
  suggest(text: string, limit: number): Suggestion[] {
    const found = new Found(limit);
    const readings = parseTyped(text);
    for (const typed of readings) {
      if (typed.civic === null) this.#addNames(typed, found);
      else if (found.isEmpty) this.#addAddresses(typed, typed.civic, found);
    }
    // The street is there, the number is not.
    if (found.isEmpty && readings[0]?.civic !== null) this.#addNames({ ...readings[0]!, civic: null }, found);
    return found.suggestions;
  }

  /** Adds one address of each street first, then others with the same number: other postal codes, other spellings. */
  #addAddresses(typed: TypedAddress, civic: number, found: Found): void {
    const { unit } = typed;
    const others: At[] = [];
    for (const street of this.#streets(typed, found, this.#source.numbers(civic))) {
      for (const record of this.#records(street)) {
        if (found.isFull()) return;
        const [first, ...rest] = pointsOf(record, civic, typed);
        if (first) this.#addAddress({ street: record, point: first, unit }, found);
        others.push(...rest.slice(0, found.limit).map((point) => ({ street: record, point, unit })));
      }
    }
    for (const other of others.slice(0, READ_PER_SUGGESTION * found.limit)) {
      if (found.isFull()) return;
      this.#addAddress(other, found);
    }
  }

  /** Adds an address, unless a lookup of its text would not find that very address. */
  #addAddress(at: At, found: Found): void {
    const { store } = this.#source;
    const address = formatAddress(componentsAt(at, store));
    const text = address.endsWith(COUNTRY) ? address.slice(0, -COUNTRY.length) : address;
    if (found.has(text)) return;
    const result = geocode(text, store);
    if (!('found' in result) || result.found.address !== address) return;
    const { lat, lon } = result.found;
    found.add({ kind: 'address', text, lat, lon });
  }

  /** Adds municipalities and streets. */
  #addNames(typed: TypedAddress, found: Found): void {
    if (found.isFull()) return;
    const places = this.#placesOf(typed);
    for (const text of places.slice(0, PLACES_FIRST)) found.add({ kind: 'municipality', text });
    for (const street of typed.words.length > 0 ? this.#streets(typed, found, null) : []) {
      if (found.isFull()) return;
      for (const record of this.#records(street)) this.#addStreet(record, found);
    }
    for (const text of places) found.add({ kind: 'municipality', text });
  }

  #addStreet(street: Street, found: Found): void {
    for (const point of street.from(0)) {
      const parts = componentsAt({ street, point, unit: null }, this.#source.store);
      found.add({ kind: 'street', text: `${formatStreet(parts)}, ${parts.municipality}, ON` });
      return;
    }
  }

  /** Returns the municipalities that fit: those that are called so themselves first, then those with more addresses. */
  #placesOf({ words, postalCode }: TypedAddress): string[] {
    const weights = new Map<string, number>();
    const add = (target: AliasTarget, factor: number): void => {
      const name = this.#places.nameOf(target);
      weights.set(name, Math.max(weights.get(name) ?? 0, this.#places.rowsOf(target) * factor));
    };
    for (const place of words.length === 0 ? [] : typedPlaces(words)) {
      for (const target of this.#places.find(place).targets)
        add(target, this.#places.isCalled(target, place) ? OWN_NAME : 1);
    }
    if (words.length === 0 && postalCode !== null) {
      for (const csd of this.#source.store.csdsOfPostalAreas(postalCode.slice(0, 3))) add({ csd, mail: null }, 1);
    }
    return [...weights].sort((a, b) => b[1] - a[1]).map(([name]) => `${name}, ON`);
  }

  #streets(typed: TypedAddress, found: Found, numbers: NumberRow | null): readonly number[] {
    const { store, list } = this.#source;
    const { words, postalCode } = typed;
    const among: Among = {
      numbers,
      csds: postalCode === null ? null : store.csdsOfPostalAreas(postalCode.slice(0, 3)),
    };
    // Once addresses were found, a street that hardly fits is not what is meant.
    const search = { words, among, isStrict: !found.isEmpty && numbers === null, wanted: found.limit };
    return findStreets({ ...search, most: found.limit * READ_PER_SUGGESTION }, list, this.#places);
  }

  #records(street: number): Street[] {
    const { store, list } = this.#source;
    const [mail, type, direction] = [
      list.mail[street]!,
      list.types[list.type[street]!],
      list.directions[list.direction[street]!],
    ];
    return store
      .streets(list.keyOf(street), list.csd[street]!)
      .filter((record) => record.mail === mail && record.type === type && record.direction === direction);
  }
}

/** A point of a street, with the unit that was typed. */
interface At {
  readonly street: Street;
  readonly point: PlacedPoint;
  readonly unit: string | null;
}

/** Returns the points of a civic number that fit what was typed, those with the same letter first. */
function pointsOf(street: Street, civic: number, { suffix, postalCode }: TypedAddress): PlacedPoint[] {
  const points = street
    .pointsOf(civic)
    .filter((point) => postalCode === null || point.postalCode?.startsWith(postalCode) === true);
  const same = points.filter((point) => point.suffix === suffix);
  if (suffix !== null) return same.length > 0 ? same : points.filter((point) => point.suffix === null);
  return [...same, ...points.filter((point) => point.suffix !== null)];
}

/** Suggestions so far, each text once. */
class Found {
  readonly limit: number;
  readonly suggestions: Suggestion[] = [];
  readonly #texts = new Set<string>();

  constructor(limit: number) {
    this.limit = limit;
  }

  get isEmpty(): boolean {
    return this.suggestions.length === 0;
  }

  isFull(): boolean {
    return this.suggestions.length >= this.limit;
  }

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  add(suggestion: Suggestion): void {
    if (this.isFull() || this.has(suggestion.text)) return;
    this.#texts.add(suggestion.text);
    this.suggestions.push(suggestion);
  }
}
