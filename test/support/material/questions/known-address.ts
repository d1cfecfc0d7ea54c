import { distanceM } from '../../../../src/addresses/distance.ts';
import type { Coordinate } from '../../../../src/messages/lookup.ts';
import type { RegisterRow } from '../small-register.ts';
import { folded, streetKey } from './names.ts';

/** Points of one address that are nearer to each other than this are one place. */
const ONE_PLACE_M = 100;

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
  /** Whether each row has the building's point, and not that of its side of the street alone. */
  readonly isBuilding: boolean;
  /** Whether the geocoder has it, or only the tests know it. */
  readonly isServed: boolean;
  /** Of the street's name (`streetKey`). */
  readonly key: string;
}

export function knownAddresses(rows: readonly RegisterRow[], isServed: (row: RegisterRow) => boolean): KnownAddress[] {
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
      isBuilding: group.every(({ at }) => at !== null),
      isServed: group.some(isServed),
      key: streetKey(name),
    };
  });
}

/** Whether two addresses have their street's name, type and direction in common. */
export function isSameStreet(a: KnownAddress, b: KnownAddress): boolean {
  return a.name === b.name && a.type === b.type && a.direction === b.direction;
}

/** Whether a number lies between the least and the greatest of some addresses. */
export function isBetween(civic: number, addresses: readonly KnownAddress[]): boolean {
  return addresses.some((a) => a.civic <= civic) && addresses.some((a) => a.civic >= civic);
}

/** Whether two addresses are farther apart than some metres. */
export function isApart({ points: [a] }: KnownAddress, { points: [b] }: KnownAddress, metres: number): boolean {
  return a !== undefined && b !== undefined && distanceM(a, b) > metres;
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

/** Folded names of the places that an address lies in. */
export function placesOf({ municipality, csdName }: KnownAddress): string[] {
  const names = [municipality, ...csdName.split(' / ')].map((name) => folded(name.replace(/\(.*|,.*/, '')));
  return [...new Set(names)].filter(Boolean);
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
