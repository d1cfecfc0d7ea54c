/** What the columns of a table say of a place, by their names in English and French, or as somebody has chosen. */
import { indexesOf, type RowColumn } from '../../src/features/batches/rows/columns.ts';
import { isIdName, plainName as plain } from '../shared/ids.ts';

/** As the service takes them. */
export type Column = Exclude<RowColumn, 'geometry'>;
/** Number, city and postal: parts of an address. */
export type Role = Column | 'number' | 'city' | 'postal';

export const columnsOfCsv: readonly Column[] = ['custom_id', 'address', 'lat', 'lon'];

/** In the order in which they can be chosen. */
export const roles: readonly Role[] = ['address', 'number', 'city', 'postal', 'lat', 'lon', 'custom_id'];

/** Names besides those that the service takes and those of ids, as `plainName` writes them. */
const names: Record<Exclude<Role, 'custom_id'>, string> = {
  address:
    'streetaddress fulladdress civicaddress propertyaddress siteaddress municipaladdress street adresse adressecomplete adressecivique rue',
  number: 'civicnumber civicno housenumber streetnumber numerocivique nocivique',
  city: 'city town municipality cityname ville municipalite localite',
  postal: 'postalcode postcode codepostal',
  lat: 'latitude',
  lon: 'longitude lng long',
};

const isColumn = (role: Role): role is Column => columnsOfCsv.some((column) => column === role);

/** What each column is; null: nothing that counts. A name that the service takes goes before others. */
export function rolesIn(header: readonly string[]): (Role | null)[] {
  const found = header.map(() => null) as (Role | null)[];
  for (const role of roles) {
    const [own] = isColumn(role) ? indexesOf(role, header) : [];
    const isIt = role === 'custom_id' ? isIdName : (name: string) => names[role].split(' ').includes(plain(name));
    const other = header.findIndex((name, i) => found[i] === null && isIt(name));
    const index = own ?? other;
    if (index >= 0) found[index] = role;
  }
  return found;
}

export const hasPlace = (found: readonly (string | null)[]) =>
  found.includes('address') || (found.includes('lat') && found.includes('lon'));

/** Says whether the service understands the columns by itself. */
export const isOfService = (found: readonly (Role | null)[], header: readonly string[]) =>
  found.every((role, i) => role === null || (isColumn(role) && indexesOf(role, header)[0] === i));

/** The fields of a record that count. The parts of an address are joined where it does not have them already. */
export function placeOf(
  { separator, roles }: { separator: string; roles: readonly (Role | null)[] },
  record: readonly string[],
): Record<Column, string> {
  const of = (role: Role) => record[roles.indexOf(role)] ?? '';
  const [number, city, postal] = [of('number'), of('city'), of('postal')];
  let address = of('address');
  if (address !== '') {
    if (number !== '' && !/^\d/.test(address)) address = `${number} ${address}`;
    if (city !== '' && !endsWith(address, city)) address += `, ${city}`;
    if (!plain(address).includes(plain(postal))) address += `, ${postal}`;
  }
  return {
    custom_id: of('custom_id'),
    address,
    lat: inPoints(separator, of('lat')),
    lon: inPoints(separator, of('lon')),
  };
}

/** What may follow the municipality: province, postal code and country. */
const TAIL = /(?: on| ontario)?(?: [a-z]\d[a-z] ?\d[a-z]\d)?(?: canada)?$/;

function endsWith(address: string, city: string) {
  const words = (text: string) => {
    const letters = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
    return ` ${letters.replace(/[^a-z0-9]+/g, ' ').trim()}`;
  };
  return words(address).replace(TAIL, '').endsWith(words(city));
}

/** A decimal comma, which tables have where something else separates their columns, becomes a point. */
const inPoints = (separator: string, number: string) =>
  separator !== ',' && /^[+-]?\d+,\d+$/.test(number) ? number.replace(',', '.') : number;
