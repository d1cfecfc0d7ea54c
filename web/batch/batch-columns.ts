/** What the columns of a table say of a place, by their names in English and French, or as somebody has chosen. */
import {
  joinedAddress,
  withoutZeros,
  indexesOf,
  isBlankText,
  type RowColumn,
} from '../../src/features/batches/rows/columns.ts';
import { isIdName, plainName as plain } from '../shared/ids.ts';

/** As the service takes them. */
export type Column = Exclude<RowColumn, 'geometry'>;
/** The others are parts of an address. */
export type Role = Column | Part;
type Part = 'number' | 'type' | 'direction' | 'unit' | 'city' | 'province' | 'postal' | 'country';

export const columnsOfCsv: readonly Column[] = ['custom_id', 'address', 'lat', 'lon'];

/** In the order in which they can be chosen. */
export const roles: readonly Role[] = [
  ...(['address', 'number', 'type', 'direction', 'unit'] as const),
  ...(['city', 'province', 'postal', 'country', 'lat', 'lon', 'custom_id'] as const),
];

/** Names of a street without its number, and often without its type. */
const streets = 'street streetname rue nomrue nomdelarue';

/** Names besides those that the service takes and those of ids, as `plainName` writes them, the surest first. */
const names: Record<Exclude<Role, 'custom_id'>, string> = {
  address: `streetaddress fulladdress civicaddress propertyaddress siteaddress locationaddress municipaladdress address1 addressline1 adresse adressecomplete adressecivique adressemunicipale ${streets}`,
  number:
    'civicnumber civicno addressnumber addressno housenumber houseno streetnumber streetno numerocivique nocivique',
  type: 'streettype sttype typerue typederue',
  direction: 'streetdirection streetdir stdir direction pointcardinal',
  unit: 'unit unitno unitnumber apt aptno apartment suite suiteno app appno appartement unite uniteno',
  city: 'city town municipality cityname municipalityname ville municipalite nommunicipalite nomville localite',
  province: 'province prov state provincestate stateprovince',
  postal: 'postalcode postcode codepostal postal zip zipcode zippostalcode postalzipcode',
  country: 'country pays',
  lat: 'latitude',
  lon: 'longitude lng long',
};

/** "Street #" is its number, and no street. */
const NUMBER_SIGN = /[#№]|\bn[°º]/gi;

const isColumn = (role: Role): role is Column => columnsOfCsv.some((column) => column === role);

/** What each column is; null: nothing that counts. A name that the service takes goes before others. */
export function rolesIn(header: readonly string[]): (Role | null)[] {
  const found = header.map(() => null) as (Role | null)[];
  const plainNames = header.map((name) => plain(name.replace(NUMBER_SIGN, 'no')));
  for (const role of roles) {
    const [own] = isColumn(role) ? indexesOf(role, header) : [];
    const index = own ?? otherIndex(role, plainNames, found);
    if (index >= 0) found[index] = role;
  }
  const isStreet = streets.split(' ').includes(plainNames[found.indexOf('address')] ?? '');
  // A whole address has its type.
  return isStreet ? found : found.map((role) => (role === 'type' || role === 'direction' ? null : role));
}

function otherIndex(role: Role, header: readonly string[], found: readonly (Role | null)[]) {
  const isFree = (index: number) => found[index] === null;
  if (role === 'custom_id') return header.findIndex((name, i) => isFree(i) && isIdName(name));
  const indexes = names[role].split(' ').map((known) => header.findIndex((name, i) => isFree(i) && name === known));
  return indexes.find((index) => index >= 0) ?? -1;
}

export const hasPlace = (found: readonly (string | null)[]) =>
  found.includes('address') || (found.includes('lat') && found.includes('lon'));

/** Says whether the service understands the columns by itself. */
export const isOfService = (found: readonly (Role | null)[], header: readonly string[]) =>
  found.every((role, i) => role === null || (isColumn(role) && indexesOf(role, header)[0] === i));

type Layout = { separator: string; header: readonly string[]; roles: readonly (Role | null)[] };

/** Says whether a record has more than the header, so that nobody knows which field is which. In one column, commas separate nothing. */
export const isTooLong = ({ header }: Pick<Layout, 'header'>, record: readonly string[]) =>
  header.length > 1 && !record.slice(header.length).every(isBlankText);

/** The fields of a record that count. The parts of an address are joined where it does not have them already. Null, or a record that is too long: blanks. */
export function placeOf(
  { separator, header, roles }: Layout,
  record: readonly string[] | null,
): Record<Column, string> {
  const known = record === null || isTooLong({ header }, record) ? [] : record;
  const of = (role: Role) => known[roles.indexOf(role)] ?? '';
  return {
    custom_id: of('custom_id'),
    address: header.length === 1 ? joinedAddress(known) : addressOf(of),
    lat: inPoints(separator, of('lat')),
    lon: inPoints(separator, of('lon')),
  };
}

function addressOf(of: (role: Role) => string) {
  const street = of('address');
  if (isBlankText(street)) return street;
  const [number, unit, postal] = [of('number'), of('unit'), of('postal')].map(withoutZeros) as [string, string, string];
  const line = [hasNumber(street, number) ? '' : number, street, of('type'), of('direction')];
  let address = line.filter((part) => part !== '').join(' ');
  const add = (part: string, isThere: boolean) => {
    if (!isThere && !isBlankText(part)) address += `, ${part}`;
  };
  add(/\d|^\w$/.test(unit) && /^[\w-]+$/.test(unit) ? `Unit ${unit}` : unit, hasWords(address, unit));
  add(of('city'), hasPart(address, of('city')));
  add(
    of('province'),
    words(address)
      .replace(BEHIND_PROVINCE, '')
      .endsWith(words(of('province'))),
  );
  add(postal, plain(address).includes(plain(postal)));
  add(of('country'), words(address).endsWith(words(of('country'))));
  return address;
}

/** A street may begin with a number of its own, as "4th Line" does. */
function hasNumber(street: string, number: string) {
  const parts = street.split(/[,#-]/).map((part) => part.trim().toLowerCase());
  const isIt = (rest: string) => /^[a-z]?(?![a-z0-9])/.test(rest);
  return parts.some((part) => part.startsWith(number.toLowerCase()) && isIt(part.slice(number.length)));
}

/** What may follow the municipality: province, postal code and country. */
const TAIL = /(?: on| ontario)?(?: [a-z]\d[a-z] ?\d[a-z]\d)?(?: canada)?$/;
const BEHIND_PROVINCE = /(?: [a-z]\d[a-z] ?\d[a-z]\d)?(?: canada)?$/;

/** Says whether a part behind a comma is the municipality: a street may be called like one. */
const hasPart = (address: string, city: string) =>
  address
    .split(/[,\n]/)
    .slice(1)
    .some((part) => words(part).replace(TAIL, '') === words(city));

const hasWords = (address: string, text: string) => `${words(address)} `.includes(`${words(text)} `);

/** With a blank before each word. */
function words(text: string) {
  const letters = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return ` ${letters.replace(/[^a-z0-9]+/g, ' ').trim()}`;
}

/** A decimal comma, which tables have where something else separates their columns, becomes a point. */
const inPoints = (separator: string, number: string) =>
  separator !== ',' && /^[+-]?\d+,\d+$/.test(number) ? number.replace(',', '.') : number;
