import { parseStreet } from '../../../src/shared/addresses/street-name.ts';
import { municipalityKey } from '../../../src/shared/addresses/municipality-name.ts';
import { tokenise } from '../../../src/shared/addresses/tokens.ts';
import type { KnownAddress, KnownRegister } from './register-rows.ts';
import { directionWords, ordinalWords, typeWords, withTypo } from './words.ts';

type Random = () => number;
type Variant = (row: KnownAddress, random: Random, register: KnownRegister) => string | null;

/** "12A", "12 1/2". */
function civic(row: KnownAddress): string {
  return row.suffix.includes('/') || row.suffix.includes('½')
    ? `${row.civic} ${row.suffix}`
    : `${row.civic}${row.suffix}`;
}

function street({ name, type, direction }: KnownAddress): string {
  return [name, title(type), direction].filter(Boolean).join(' ');
}

function title(text: string): string {
  return text.charAt(0) + text.slice(1).toLowerCase();
}

function city(row: KnownAddress): string {
  return row.municipality.toLowerCase().replace(/(?<![\p{L}'])\p{L}/gu, (letter) => letter.toUpperCase());
}

function postal({ postalCode }: KnownAddress): string {
  return postalCode === '' ? '' : ` ${postalCode.slice(0, 3)} ${postalCode.slice(3)}`;
}

function oneOf<T>(random: Random, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)]!;
}

function plain(row: KnownAddress): string {
  return `${civic(row)} ${street(row)}, ${city(row)}, ON${postal(row)}`;
}

/** A name with a typing error that is neither another street of the municipality nor one letter from a second one. */
function misspeltStreet(row: KnownAddress, random: Random, register: KnownRegister): string | null {
  const name = /\d/.test(row.name) ? null : withTypo(row.name, random);
  if (name === null) return null;
  const key = parseStreet(tokenise(`${name} ${row.type} ${row.direction}`))?.key ?? '';
  return register.streetsOf.get(row.csd)?.has(key) ? null : name;
}

/** Ways in which people write an address that the register has. Null: does not apply to the row. */
export const positives: Readonly<Record<string, Variant>> = {
  'as the register': plain,
  capitals: (row) => plain(row).toUpperCase(),
  'lower case': (row) => plain(row).toLowerCase(),
  'no punctuation': (row) => plain(row).replace(/[,.]/g, ''),
  'commas everywhere': (row) => plain(row).replace(/ /g, ', '),
  'no accents, odd spaces': (row) => `  ${plain(row).normalize('NFD').replace(/\p{M}/gu, '').replace(/ /g, '   ')} `,
  'no postal code': (row) => `${civic(row)} ${street(row)}, ${city(row)}, Ontario`,
  'no province': (row) => `${civic(row)} ${street(row)}, ${city(row)}`,
  country: (row) => `${plain(row)}, Canada`,
  'full words': (row) =>
    typeWords[row.type]
      ? `${civic(row)} ${[row.name, typeWords[row.type]![0], directionWords[row.direction]?.[0] ?? row.direction].filter(Boolean).join(' ')}, ${city(row)}, Ontario${postal(row)}`
      : null,
  'symbols with periods': (row) =>
    `${civic(row)} ${row.name} ${row.type ? `${title(row.type)}.` : ''} ${row.direction ? `${row.direction}.` : ''}, ${city(row)}, Ont.${postal(row)}`,
  'french type': (row, random) => {
    const french = typeWords[row.type]?.[1];
    if (french === undefined) return null;
    const direction = directionWords[row.direction]?.[1] ?? row.direction;
    return `${civic(row)}${oneOf(random, [',', ''])} ${french} ${row.name} ${direction}, ${city(row)} (Ontario)${postal(row)}`;
  },
  'unit before': (row, random) =>
    oneOf(random, ['Apt 4, ', 'Unit #12 - ', '#5-', '302-', 'Suite 800, ', 'PH2-', 'B-', '12 - ', 'App. 3, ']) +
    plain(row),
  'unit behind': (row, random) =>
    `${civic(row)} ${street(row)}${oneOf(random, [' Apt 4', ', Unit 12', ' #5', ', Suite B', ' Unit #3', ', 2nd Floor', ', bureau 200', ' Lower Level', ' Ste 210'])}, ${city(row)}, ON${postal(row)}`,
  'delivery words': (row, random) =>
    `${civic(row)} ${street(row)} ${oneOf(random, ['RR 2', 'PO Box 70', 'R.R. #4', 'Box 12'])}, ${city(row)}, ON${postal(row)}`,
  'building in front': (row, random) =>
    `${oneOf(random, ['City Hall', 'Maple Leaf Plaza', 'c/o Grace Baptist', 'The Manor'])}, ${plain(row)}`,
  'postal code slips': (row, random) => {
    if (row.postalCode === '') return null;
    const code = oneOf(random, [
      row.postalCode.toLowerCase(),
      `${row.postalCode.slice(0, 3)}-${row.postalCode.slice(3)}`,
      row.postalCode.replaceAll('0', 'O').replaceAll('1', 'I'),
    ]);
    return `${civic(row)} ${street(row)}, ${city(row)}, ON, ${code}`;
  },
  'municipality of today': (row) =>
    `${civic(row)} ${street(row)}, ${row.csdEnglish.split(' / ')[0]!}, ON${postal(row)}`,
  'city of': (row) => `${civic(row)} ${street(row)}, City of ${city(row)}, Ontario`,
  'county behind': (row) =>
    row.csdEnglish === 'Newmarket' ? `${civic(row)} ${street(row)}, ${city(row)}, York Region, ON${postal(row)}` : null,
  'ordinal in words': (row) => {
    const word = ordinalWords[row.name];
    return word === undefined ? null : `${civic(row)} ${word} ${row.type} ${row.direction}, ${city(row)}, ON`;
  },
  'saint in full': (row) =>
    /^st\.? /i.test(row.name)
      ? `${civic(row)} ${street({ ...row, name: row.name.replace(/^st\.? /i, 'Saint ') })}, ${city(row)}, ON`
      : null,
  'no type': (row) =>
    row.type === ''
      ? null
      : `${civic(row)} ${[row.name, row.direction].filter(Boolean).join(' ')}, ${city(row)}, ON${postal(row)}`,
  'no direction': (row) =>
    row.direction === '' ? null : `${civic(row)} ${row.name} ${row.type}, ${city(row)}, ON${postal(row)}`,
  'direction first': (row) =>
    row.direction === ''
      ? null
      : `${civic(row)} ${row.direction} ${row.name} ${row.type}, ${city(row)}, ON${postal(row)}`,
  'typing error in the street': (row, random, register) => {
    const name = misspeltStreet(row, random, register);
    return name === null ? null : `${civic(row)} ${street({ ...row, name })}, ${city(row)}, ON${postal(row)}`;
  },
  'typing error, no postal code': (row, random, register) => {
    const name = misspeltStreet(row, random, register);
    return name === null ? null : `${civic(row)} ${street({ ...row, name })}, ${city(row)}`;
  },
  'typing error in the municipality': (row, random) => {
    const name = withTypo(city(row), random);
    return name === null || municipalityKey(tokenise(name)).length < 6
      ? null
      : `${civic(row)} ${street(row)}, ${name}, ON${postal(row)}`;
  },
  'no municipality': (row) => (row.postalCode === '' ? null : `${civic(row)} ${street(row)}, ON${postal(row)}`),
};
