/** What the columns of a table say of a place, by their names in English and French, or as somebody has chosen. */

/**
 * @typedef {'custom_id' | 'address' | 'lat' | 'lon'} Column as the service takes them
 * @typedef {Column | 'number' | 'city' | 'postal'} Role number, city and postal: parts of an address
 */

/** @type {readonly Column[]} */
export const columnsOfCsv = ['custom_id', 'address', 'lat', 'lon'];

/** In the order in which they can be chosen. @type {readonly Role[]} */
export const roles = ['address', 'number', 'city', 'postal', 'lat', 'lon', 'custom_id'];

/** Names besides those that the service takes, as `plain` writes them. @type {Record<Role, string>} */
const names = {
  custom_id: 'id identifiant',
  address: 'streetaddress fulladdress civicaddress street adresse adressecomplete adressecivique rue',
  number: 'civicnumber civicno housenumber streetnumber numerocivique nocivique',
  city: 'city town municipality cityname ville municipalite localite',
  postal: 'postalcode postcode codepostal',
  lat: 'latitude',
  lon: 'longitude lng long',
};

/**
 * A name without case, accents, spaces and signs.
 * @param {string} name
 */
const plain = (name) =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '');

/**
 * A name without case, spaces, hyphens and underscores: as the service, the page takes `Custom ID` for `custom_id`.
 * @param {string} name
 */
const folded = (name) => name.toLowerCase().replace(/[\s_-]+/g, '');

/**
 * Other names that the service takes for a column, as `folded` writes them (src/features/batches/rows/columns.ts).
 * @type {Partial<Record<string, readonly string[]>>}
 */
const ofService = { address: ['fulladdress', 'adresse'], lat: ['latitude'], lon: ['longitude', 'lng'] };

/**
 * Where a column is: the one of its name, otherwise those of nearly its name, otherwise those of another name that the service takes for it.
 * @param {string} column
 * @param {readonly string[]} header
 */
export function indexesOf(column, header) {
  const where = (/** @type {(name: string) => boolean} */ isIt) =>
    [...header.keys()].filter((i) => isIt(header[i] ?? ''));
  const tiers = [
    where((name) => name.toLowerCase() === column),
    where((name) => folded(name) === folded(column)),
    where((name) => ofService[column]?.includes(folded(name)) ?? false),
  ];
  return tiers.find((found) => found.length > 0) ?? [];
}

/**
 * What each column is; null: nothing that counts. A name that the service takes goes before others.
 * @param {readonly string[]} header
 * @returns {(Role | null)[]}
 */
export function rolesIn(header) {
  const found = /** @type {(Role | null)[]} */ (header.map(() => null));
  for (const role of roles) {
    const [own] = columnsOfCsv.some((column) => column === role) ? indexesOf(role, header) : [];
    const known = names[role].split(' ');
    const other = header.findIndex((name, i) => found[i] === null && known.includes(plain(name)));
    const index = own ?? other;
    if (index >= 0) found[index] = role;
  }
  return found;
}

/** @param {readonly (Role | string | null)[]} found */
export const hasPlace = (found) => found.includes('address') || (found.includes('lat') && found.includes('lon'));

/**
 * Says whether the service understands the columns by itself.
 * @param {readonly (Role | null)[]} found
 * @param {readonly string[]} header
 */
export const isOfService = (found, header) =>
  found.every(
    (role, i) => role === null || (columnsOfCsv.some((one) => one === role) && indexesOf(role, header)[0] === i),
  );

/**
 * The fields of a record that count. The parts of an address are joined where it does not have them already.
 * @param {{ separator: string, roles: readonly (Role | null)[] }} table
 * @param {readonly string[]} record
 * @returns {Record<Column, string>}
 */
export function placeOf({ separator, roles }, record) {
  const of = (/** @type {Role} */ role) => record[roles.indexOf(role)] ?? '';
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

/**
 * @param {string} address
 * @param {string} city
 */
function endsWith(address, city) {
  const words = (/** @type {string} */ text) => {
    const letters = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
    return ` ${letters.replace(/[^a-z0-9]+/g, ' ').trim()}`;
  };
  return words(address).replace(TAIL, '').endsWith(words(city));
}

/**
 * A decimal comma, which tables have where something else separates their columns, becomes a point.
 * @param {string} separator
 * @param {string} number
 */
const inPoints = (separator, number) =>
  separator !== ',' && /^[+-]?\d+,\d+$/.test(number) ? number.replace(',', '.') : number;
