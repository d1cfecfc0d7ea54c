import { countyOf, mayBeInCounty } from './counties.ts';
import {
  areOnePlace,
  grouped,
  isApart,
  isBetween,
  isSameStreet,
  isWrittenPlace,
  knownAddresses,
  placesOf,
  sameType,
  type KnownAddress,
} from './known-address.ts';
import type { RegisterRow } from '../small-register.ts';
import { folded, isOneLetterApart } from './names.ts';
import { shuffled, type Random } from './question.ts';

const FAR_M = 50_000;

const ASTRAY_M = 1000;

/** So many other numbers say where a street is. */
const LEAST_OF_STREET = 2;

/** In names so long, one other letter is a slip of whoever filled the register. */
const LONG_NAME = 9;

/** A town has so many before only chance decides. */
const MOST_TURNS = 40;

/** How much of a street is written. */
export type Written = 'street' | 'without direction' | 'name';

/** A register as a person would search it, to know what the right answers are. */
export class KnownRegister {
  readonly addresses: readonly KnownAddress[];
  readonly #byNumber: ReadonlyMap<string, readonly KnownAddress[]>;
  readonly #byKey: ReadonlyMap<string, readonly KnownAddress[]>;
  readonly #byStreet: ReadonlyMap<string, readonly KnownAddress[]>;
  readonly #byPlace: ReadonlyMap<string, readonly KnownAddress[]>;
  readonly #byCounty: ReadonlyMap<string, readonly KnownAddress[]>;
  readonly #csdsOf: ReadonlyMap<string, ReadonlySet<number>>;

  /** @param isServed whether the geocoder has a row. */
  constructor(rows: readonly RegisterRow[], isServed: (row: RegisterRow) => boolean) {
    this.addresses = knownAddresses(rows, isServed);
    this.#byNumber = grouped(this.addresses, ({ key, civic }) => [`${key}|${civic}`]);
    this.#byKey = grouped(this.addresses, ({ key }) => [key]);
    this.#byStreet = grouped(this.addresses, ({ csd, key }) => [`${csd}|${key}`]);
    this.#byPlace = grouped(this.addresses, ({ municipality }) => [folded(municipality)]);
    this.#byCounty = grouped(this.addresses, ({ csd }) => [folded(countyOf(csd)?.name ?? '')]);
    const csds = grouped(this.addresses, (address) => placesOf(address));
    this.#csdsOf = new Map([...csds].map(([place, list]) => [place, new Set(list.map(({ csd }) => csd))]));
  }

  /** Every address once. Large towns and small ones take turns. */
  *inTurns(random: Random): Generator<KnownAddress> {
    const seen = new Set<KnownAddress>();
    const towns = shuffled([...this.#byPlace.values()], random);
    const byTown = towns.flatMap((town) =>
      shuffled(town, random)
        .slice(0, MOST_TURNS)
        .map((address, turn) => ({ address, turn })),
    );
    byTown.sort((a, b) => a.turn - b.turn);
    for (const [i, address] of shuffled(this.addresses, random).entries()) {
      for (const next of [byTown[i]?.address, address]) {
        if (next === undefined || seen.has(next)) continue;
        seen.add(next);
        yield next;
      }
    }
  }

  /** Folded names of places: mailing municipalities, and census subdivisions in both languages. */
  get places(): readonly string[] {
    return [...this.#csdsOf.keys()];
  }

  isPlace(name: string): boolean {
    return this.#csdsOf.has(folded(name));
  }

  /** Addresses with this mailing municipality. */
  inPlace(name: string): readonly KnownAddress[] {
    return this.#byPlace.get(folded(name)) ?? [];
  }

  /** Census subdivisions that a name stands for, as a municipality or as a part of one. */
  csdsOf(place: string): ReadonlySet<number> {
    return this.#csdsOf.get(folded(place)) ?? new Set();
  }

  /** Mailing municipalities of a county. */
  townsOf(county: string): readonly string[] {
    const towns = this.#byCounty.get(folded(county))?.map(({ municipality }) => municipality);
    return [...new Set(towns)].filter(isWrittenPlace);
  }

  /** Every address of a county on streets of about this name. */
  streetsInCounty(county: string, key: string): readonly KnownAddress[] {
    return (this.#byKey.get(key) ?? []).filter(({ csd }) => mayBeInCounty(csd, county));
  }

  /** Whether one may be a part of the other, or another name of it. */
  areRelated(a: string, b: string): boolean {
    const [ofA, ofB] = [this.csdsOf(a), this.csdsOf(b)];
    return folded(a) === folded(b) || [...ofA].some((csd) => ofB.has(csd));
  }

  /** Addresses in the whole province with this number on a street of about this name. */
  everywhere({ key, civic }: Pick<KnownAddress, 'key' | 'civic'>): readonly KnownAddress[] {
    return this.#byNumber.get(`${key}|${civic}`) ?? [];
  }

  /** Every address on streets of about this name in the municipalities that a place stands for. */
  street(place: string, key: string): readonly KnownAddress[] {
    return [...this.csdsOf(place)].flatMap((csd) => this.#byStreet.get(`${csd}|${key}`) ?? []);
  }

  /**
   * Whether a place may have the number: it has it on a street of about this name, or the number lies between those of such a street,
   * so that a point between two neighbours would be no wrong answer.
   */
  mayHave(place: string, { key, civic }: Pick<KnownAddress, 'key' | 'civic'>): boolean {
    return isBetween(civic, this.street(place, key));
  }

  /** Whether the geocoder has any number of this very street. */
  servesStreet({ municipality, key, type, direction }: KnownAddress): boolean {
    return this.street(municipality, key).some(
      (other) => other.isServed && other.type === type && other.direction === direction,
    );
  }

  /** Whether a place is too far away for an address to be counted to it by anyone. */
  isFar(place: string, address: KnownAddress): boolean {
    const [some] = this.inPlace(place);
    return some !== undefined && isApart(some, address, FAR_M);
  }

  /**
   * Whether the geocoder has the address, and its text with so much of its street can mean no other place: neither another street of the
   * name nor a second point of the number.
   */
  isPlain(address: KnownAddress, written: Written = 'street'): boolean {
    return address.isServed && this.isUnique(address, written);
  }

  /**
   * Like `isPlain`, whether the geocoder has it or not. What it does not have must have its building's point, because the answer cannot be
   * the row's own; and a street without type or direction may be taken for each that has one.
   */
  isUnique(address: KnownAddress, written: Written = 'street'): boolean {
    if (!isWrittenPlace(address.municipality) || !(address.isServed || address.isBuilding)) return false;
    if (this.#isAstray(address) || this.#isTwice(address)) return false;
    const isTypeWritten = written !== 'name' && (address.isServed || address.type !== '');
    const isDirectionWritten = written === 'street' && (address.isServed || address.direction !== '');
    const isSame = (other: KnownAddress): boolean =>
      other.civic === address.civic &&
      (!isTypeWritten || sameType(other.type) === sameType(address.type)) &&
      (!isDirectionWritten || other.direction === address.direction || other.name !== address.name);
    const points = this.street(address.municipality, address.key)
      .filter(isSame)
      .flatMap((other) => other.points);
    return areOnePlace(points);
  }

  /** Whether the register has the address far from every other number of its street: a mistake of its source. */
  #isAstray(address: KnownAddress): boolean {
    const others = this.street(address.municipality, address.key).filter(
      (other) => other !== address && isSameStreet(other, address),
    );
    return others.length >= LEAST_OF_STREET && others.every((other) => isApart(address, other, ASTRAY_M));
  }
  /** Whether the geocoder has an address under a name that is a slip of this one's, or the right name. */
  #isTwice(address: KnownAddress): boolean {
    if (address.isServed || address.key.length < LONG_NAME) return false;
    return this.inPlace(address.municipality).some(
      ({ civic, key }) => civic === address.civic && isOneLetterApart(key, address.key),
    );
  }
}
