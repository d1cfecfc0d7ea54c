import { sameStreetType } from '../../../src/shared/addresses/street-types.ts';
import type { KnownAddress, KnownRegister } from './register-rows.ts';
import { inventedName } from './words.ts';

type Random = () => number;
type Negative = (row: KnownAddress, random: Random, register: KnownRegister) => string | null;

function oneOf<T>(random: Random, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)]!;
}

function street({ name, type, direction }: KnownAddress): string {
  return [name, type, direction].filter(Boolean).join(' ');
}

function ofStreet(row: KnownAddress, register: KnownRegister): readonly KnownAddress[] {
  return register.rowsOf.get(`${row.csd}|${row.streetKey}`) ?? [];
}

/** Strings that must be refused. Null: does not apply to the row. */
export const negatives: Readonly<Record<string, { readonly status: 404 | 422; readonly make: Negative }>> = {
  'number beyond the end': {
    status: 404,
    make: (row, random, register) => {
      const last = Math.max(...ofStreet(row, register).map(({ civic }) => Number(civic)));
      return `${last + 200 + Math.floor(random() * 9000)} ${street(row)}, ${row.municipality}, ON`;
    },
  },
  'invented street': {
    status: 404,
    make: (row, random) => `${row.civic} ${inventedName(random)} ${row.type || 'ST'}, ${row.municipality}, ON`,
  },
  'street of another municipality': {
    status: 404,
    make: (row, random, register) => {
      const other = oneOf(random, register.addresses);
      if (register.streetsOf.get(row.csd)?.has(other.streetKey) !== false) return null;
      return `${other.civic} ${street(other)}, ${row.municipality}, ON`;
    },
  },
  'type of another street of the name': {
    status: 404,
    make: (row, _, register) => {
      const others = ofStreet(row, register).filter(
        (other) => other.type !== '' && row.type !== '' && !sameStreetType(other.type, row.type),
      );
      const other = others.find(
        ({ type }) =>
          !ofStreet(row, register).some(
            (same) => same.type === type && Math.abs(Number(same.civic) - Number(row.civic)) < 150,
          ),
      );
      return other
        ? `${row.civic} ${[row.name, other.type, row.direction].filter(Boolean).join(' ')}, ${row.municipality}, ON`
        : null;
    },
  },
  'direction of another street of the name': {
    status: 404,
    make: (row, _, register) => {
      const same = ofStreet(row, register).filter(({ type }) => type === row.type);
      const other = same.find(
        ({ direction }) => direction !== row.direction && direction !== '' && row.direction !== '',
      );
      const near =
        other &&
        same.some((s) => s.direction === other.direction && Math.abs(Number(s.civic) - Number(row.civic)) < 150);
      return other && !near ? `${row.civic} ${row.name} ${row.type} ${other.direction}, ${row.municipality}, ON` : null;
    },
  },
  'no number': { status: 404, make: (row) => `${street(row)}, ${row.municipality}, ON` },
  'municipality only': { status: 404, make: (row) => `${row.municipality}, Ontario ${row.postalCode}` },
  intersection: {
    status: 404,
    make: (row, random, register) =>
      `${street(row)} ${oneOf(random, ['&', 'and', 'at', '@'])} ${street(oneOf(random, register.addresses))}, ${row.municipality}, ON`,
  },
  delivery: {
    status: 404,
    make: (row, random) =>
      `${oneOf(random, ['PO Box 12', 'RR 3', 'P.O. Box 1200 Stn Main', 'General Delivery', 'C.P. 44', 'RR#2 Site 4 Comp 9', 'GD'])}, ${row.municipality}, ON`,
  },
  'another province': {
    status: 422,
    make: (row, random) =>
      `${row.civic} ${street(row)}, ${oneOf(random, ['Montréal, QC H2X 1A1', 'Calgary, AB', 'Halifax NS B3H 1A1', 'Winnipeg, Manitoba', 'Vancouver BC', 'Gatineau, Québec'])}`,
  },
  'another country': {
    status: 422,
    make: (row, random) =>
      `${row.civic} ${street(row)}, ${oneOf(random, ['Buffalo, NY 14201', 'Detroit MI 48226, USA', 'Columbus, Ohio 43004', 'Paris, France', 'Austin, TX 73301'])}`,
  },
};
