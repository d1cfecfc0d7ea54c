import { distanceM } from '../../../src/shared/addresses/distance.ts';
import type { Coordinate } from '../../../src/shared/contract/lookup.ts';
import type { RegisterRow } from '../small-register.ts';
import { countyOf, mayBeInCounty } from './counties.ts';
import { folded, streetKey } from './names.ts';
import { shuffled, type Random } from './question.ts';

/** Points of one address that are nearer to each other than this are one place. */
const ONE_PLACE_M = 100;

const FAR_M = 50_000;

/** A town has so many before only chance decides. */
const MOST_TURNS = 40;

/** All rows of a register with one civic number of one street. */
export interface KnownAddress {
  readonly civic: number;
  readonly suffix: string;
  readonly name: string;
  readonly type: string;
  readonly direction: string;
  /** Mailing municipality. */
  readonly municipality: string;
  readonly csd: number;
  readonly csdName: string;
  /** The first one, or "". */
  readonly postalCode: string;
  readonly units: ReadonlySet<string>;
  readonly points: readonly Coordinate[];
  /** Whether the geocoder has it, or only the tests know it. */
  readonly isServed: boolean;
  /** Of the street's name (`streetKey`). */
  readonly key: string;
}

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
  isFar(place: string, { points }: KnownAddress): boolean {
    const [some] = this.inPlace(place);
    const [here, there] = [points[0], some?.points[0]];
    return here !== undefined && there !== undefined && distanceM(here, there) > FAR_M;
  }

  /**
   * Whether the geocoder has the address, and its text with so much of its street can mean no other place: neither another street of the
   * name nor a second point of the number.
   */
  isPlain(address: KnownAddress, written: Written = 'street'): boolean {
    return address.isServed && this.isUnique(address, written);
  }

  /**
   * Like `isPlain`, whether the geocoder has it or not. What it does not have is never found as it is written, so that a street without
   * type or direction may be taken for each that has one.
   */
  isUnique(address: KnownAddress, written: Written = 'street'): boolean {
    const isTypeWritten = written !== 'name' && (address.isServed || address.type !== '');
    const isDirectionWritten = written === 'street' && (address.isServed || address.direction !== '');
    const isSame = (other: KnownAddress): boolean =>
      other.civic === address.civic &&
      (!isTypeWritten || sameType(other.type) === sameType(address.type)) &&
      (!isDirectionWritten || other.direction === address.direction || other.name !== address.name);
    const points = this.street(address.municipality, address.key)
      .filter(isSame)
      .flatMap((other) => other.points);
    return isWrittenPlace(address.municipality) && areOnePlace(points);
  }
}

/** Whether two addresses have their street's name, type and direction in common. */
export function isSameStreet(a: KnownAddress, b: KnownAddress): boolean {
  return a.name === b.name && a.type === b.type && a.direction === b.direction;
}

/** Whether a number lies between the least and the greatest of some addresses. */
export function isBetween(civic: number, addresses: readonly KnownAddress[]): boolean {
  return addresses.some((a) => a.civic <= civic) && addresses.some((a) => a.civic >= civic);
}

export function areOnePlace(points: readonly Coordinate[]): boolean {
  const [first] = points;
  return first !== undefined && points.every((point) => distanceM(first, point) <= ONE_PLACE_M);
}

/** Whether people write a municipality so: the register has some with a province or a remark in the column. */
export function isWrittenPlace(municipality: string): boolean {
  return /^[\p{L} .'-]{2,}$/u.test(municipality) && !/\bON$/i.test(municipality);
}

/** French types and the English ones they are written for. */
const sameTypes: Readonly<Record<string, string>> = {
  ...{ RUE: 'ST', AV: 'AVE', CH: 'RD', BOUL: 'BLVD', PROM: 'DR', PLACE: 'PL', CROIS: 'CRES', COUR: 'CRT' },
};

/** The English type that a French one is taken for; others as they are. */
export function sameType(type: string): string {
  return sameTypes[type] ?? type;
}

function placesOf({ municipality, csdName }: KnownAddress): string[] {
  const names = [municipality, ...csdName.split(' / ')].map((name) => folded(name.replace(/\(.*|,.*/, '')));
  return [...new Set(names)].filter(Boolean);
}

function knownAddresses(rows: readonly RegisterRow[], isServed: (row: RegisterRow) => boolean): KnownAddress[] {
  const rowsOf = grouped(rows, ({ civic, suffix = '', street, mail, csd }) => [
    [civic, suffix, street.map((part) => part ?? '').join(' '), folded(mail), csd[0]].join('|').toUpperCase(),
  ]);
  return [...rowsOf.values()].map((group) => {
    const [{ civic, suffix = '', street, mail, csd }] = group as [RegisterRow];
    const [name, type = '', direction = ''] = street;
    return {
      ...{ civic, suffix, name, type, direction, municipality: mail, csd: csd[0], csdName: csd.slice(1).join(' / ') },
      postalCode: group.find(({ postalCode }) => postalCode)?.postalCode ?? '',
      units: new Set(group.flatMap(({ unit }) => unit ?? [])),
      points: group.flatMap(({ at, blockface }) => {
        const point = at ?? blockface;
        return point ? { lat: point[0], lon: point[1] } : [];
      }),
      isServed: group.some(isServed),
      key: streetKey(name),
    };
  });
}

export function grouped<T>(list: readonly T[], keysOf: (item: T) => readonly string[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of list) {
    for (const key of keysOf(item)) {
      const group = groups.get(key);
      if (group) group.push(item);
      else groups.set(key, [item]);
    }
  }
  return groups;
}
