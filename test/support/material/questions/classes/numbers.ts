/** Numbers that belong to a thing, a unit or a road, and not to the street (the civic number is another one). */
import { isSameStreet, type KnownAddress } from '../known-address.ts';
import type { KnownRegister } from '../known-register.ts';
import { classOf, oneOf, type QuestionClass } from '../question.ts';
import { lineOf, numberOf, officialOf, streetOf, townOf, truthOf } from '../written.ts';

/** What has a number of its own and stands in front of an address. */
const numberedThings = [
  ...['Hangar', 'Gate', 'Fire Station', 'Pier', 'Dock', 'Pt Lt', 'Part', 'Block', 'Phase', 'Site No.', 'Lot No.'],
  ...['Building No.', 'Legion Branch', 'Cottage', 'Terminal', 'Portable', 'Store', 'School', 'Km', 'Exit', 'Unit No'],
  ...['Locker', 'Parcel', 'Tract', 'Zone', 'Bay', 'Stall', 'Slip', 'Cabin', 'Trailer', 'Fire Station No.', 'Plan'],
];

/** The same for units, which the register may have. */
const units = ['Apt', 'Unit', 'Suite', 'Lot', 'Building', 'Room', 'Box', 'PO Box', 'RR', 'Apt.', 'Bldg', 'Floor'];

function restOf(address: KnownAddress): string {
  return `${streetOf(address)}, ${townOf(address)}, ON`;
}

/** Another number of the same street. */
function neighbour(address: KnownAddress, register: KnownRegister, random: () => number): KnownAddress | null {
  const others = register
    .street(address.municipality, address.key)
    .filter((other) => other.isServed && isSameStreet(other, address) && other.civic !== address.civic);
  return others.length > 0 ? oneOf(random, others) : null;
}

/** A number past both ends of every street of the name. */
function beyond(address: KnownAddress, register: KnownRegister, random: () => number): number {
  const civics = register.street(address.municipality, address.key).map(({ civic }) => civic);
  return civics.reduce((most, civic) => Math.max(most, civic), 0) + 20 + Math.floor(random() * 200);
}

function missingNumber(
  name: string,
  shows: string,
  write: (number: number, unit: string, random: () => number) => string,
): QuestionClass {
  return classOf(name, shows, 'either', (address, random, register) =>
    address.isServed && address.suffix === ''
      ? {
          text: `${write(beyond(address, register, random), String(address.civic), random).replace('~', streetOf(address))}, ${townOf(address)}, ON`,
          truth: null,
        }
      : null,
  );
}

export const numbers = [
  classOf('A4 number of a thing alone', '"Hangar 5, Airport Rd" names no civic number', 'either', (address, random) =>
    address.isServed && address.suffix === ''
      ? { text: `${oneOf(random, numberedThings)} ${address.civic}, ${restOf(address)}`, truth: null }
      : null,
  ),
  classOf('A4 number of a unit alone', '"Apt 5, Main St" names no civic number', 'either', (address, random) =>
    address.isServed && address.suffix === ''
      ? { text: `${oneOf(random, units)} ${address.civic}, ${restOf(address)}`, truth: null }
      : null,
  ),
  classOf('A4 numbered unit without a comma', '"Unit No 44 Bonny Lane"', 'either', (address, random) =>
    address.isServed && address.suffix === ''
      ? {
          text: `${oneOf(random, ['Unit No', 'Unit No.', 'Lot No.', 'Site No.', 'Building No.'])} ${address.civic} ${restOf(address)}`,
          truth: null,
        }
      : null,
  ),
  classOf(
    'A4 lot and concession',
    '"Pt Lt 12 Con 5, Kingston" is no number 12 on Concession 5',
    'either',
    (address, random) =>
      address.isServed &&
      address.key.startsWith('#') &&
      /\bCONC/i.test(`${address.name} ${address.type}`) &&
      address.suffix === ''
        ? {
            text: `${oneOf(random, ['Pt Lt', 'Part Lot', 'Lot', 'Pt Lot', 'Lt'])} ${address.civic} ${oneOf(random, ['Con', 'Conc', 'Concession'])} ${address.key.slice(1)}, ${townOf(address)}, ON`,
            truth: null,
          }
        : null,
  ),
  classOf(
    'last digit written as a letter',
    '"20O Queen Mary Rd" is 200, which is another house than 20',
    'either',
    (address, random, register) => {
      const letter = { 0: 'O', 1: oneOf(random, ['I', 'i']) }[address.civic % 10];
      return letter !== undefined && address.civic > 9 && address.suffix === '' && register.isPlain(address)
        ? { text: `${Math.floor(address.civic / 10)}${letter} ${restOf(address)}`, truth: truthOf(address) }
        : null;
    },
  ),
  classOf(
    'half written in one word with the number',
    '"431/2 Main St" is beside 43 Main St, or unit 431 of number 2',
    'either',
    (address, random, register) =>
      address.suffix === '' && register.isPlain(address)
        ? {
            text: `${address.civic}${oneOf(random, ['1/2', '1/4', '3/4'])} ${restOf(address)}`,
            truth: truthOf(address),
          }
        : null,
  ),
  classOf(
    'A4 number of a thing, then the address',
    '"Fire Station No. 5, 680 Eagleson Rd"',
    'found',
    (address, random, register) => {
      const other = neighbour(address, register, random);
      return other !== null && register.isPlain(address)
        ? { text: `${oneOf(random, numberedThings)} ${other.civic}, ${officialOf(address)}`, truth: truthOf(address) }
        : null;
    },
  ),
  classOf(
    'unit with the number of a neighbour',
    '"77 Abilene Dr Apt 29": 29 Abilene Dr exists as well',
    'found',
    (address, random, register) => {
      const other = neighbour(address, register, random);
      if (other === null || other.suffix !== '' || !register.isPlain(address)) return null;
      const unit = `${oneOf(random, ['Apt', 'Unit', 'Suite', '#', 'Unit #', 'Room'])} ${other.civic}`.replace(
        '# ',
        '#',
      );
      const line = oneOf(random, [
        `${lineOf(address)} ${unit}`,
        `${unit}, ${lineOf(address)}`,
        `${unit} - ${lineOf(address)}`,
      ]);
      return { text: `${line}, ${townOf(address)}, ON`, truth: truthOf(address) };
    },
  ),
  classOf(
    'unit with the number of a neighbour, own number removed',
    '"77 Abilene Dr Apt 29": the geocoder has 29 but not 77',
    'either',
    (address, random, register) => {
      const other = neighbour(address, register, random);
      if (other === null || other.suffix !== '' || address.isServed || !register.isUnique(address)) return null;
      const unit = `${oneOf(random, ['Apt', 'Unit', 'Suite', '#', 'Unit #'])} ${other.civic}`.replace('# ', '#');
      const line = oneOf(random, [
        `${lineOf(address)} ${unit}`,
        `${unit}, ${lineOf(address)}`,
        `${unit} - ${lineOf(address)}`,
      ]);
      return { text: `${line}, ${townOf(address)}, ON`, truth: truthOf(address) };
    },
  ),
  missingNumber(
    'unit with a known number, own number beyond the street',
    '"9077 Abilene Dr Apt 29": only 29 exists',
    (number, unit, random) =>
      oneOf(random, [
        `${number} ~ Apt ${unit}`,
        `${number} ~, Unit ${unit}`,
        `Suite ${unit}, ${number} ~`,
        `${number} ~ #${unit}`,
      ]),
  ),
  classOf(
    'A9 number-unit in the wrong order',
    '"3482-7 Princess St", where both are numbers of the street',
    'either',
    (address, random, register) => {
      const smaller = register
        .street(address.municipality, address.key)
        .filter((other) => isSameStreet(other, address) && other.civic * 4 < address.civic && other.civic < 100);
      if (smaller.length === 0 || address.suffix !== '' || !register.isPlain(address)) return null;
      const unit = oneOf(random, smaller);
      return unit.units.has(String(address.civic))
        ? null
        : { text: `${address.civic}-${unit.civic} ${restOf(address)}`, truth: truthOf(address) };
    },
  ),
  classOf('unit-number', '"7-3482 Princess St"', 'found', (address, random, register) =>
    address.suffix === '' && address.civic >= 100 && register.isPlain(address)
      ? { text: `${1 + Math.floor(random() * 40)}-${officialOf(address)}`, truth: truthOf(address) }
      : null,
  ),
  classOf('A9 decimal number', '"4.5 Grosvenor Crt" is not 45 Grosvenor Crt', 'either', (address, _, register) => {
    const digits = String(address.civic);
    if (digits.length !== 2 || digits.endsWith('0') || address.suffix !== '' || !address.isServed) return null;
    if (register.mayHave(address.municipality, { key: address.key, civic: Number(digits[0]) })) return null;
    return { text: `${digits[0]}.${digits[1]} ${restOf(address)}`, truth: null };
  }),
  classOf(
    'A9 unknown type behind the type',
    '"12 Basswood Pl Pth" is a street of its own',
    'either',
    (address, random, register) => {
      // The type written twice ("Cir Crcl") is another matter.
      const words = { PATH: 'Pth', SQ: 'Sqr', CIR: 'Crcl', TERR: 'Terrc', LANDNG: 'Lndng', GATE: 'Gt', GROVE: 'Grv' };
      const [type, word] = oneOf(random, [...Object.entries(words), ['', 'Sprkl'] as const]);
      if (type === address.type) return null;
      const longer = register.street(address.municipality, `${address.key}${address.type}`);
      return address.isServed && address.type !== '' && address.direction === '' && longer.length === 0
        ? { text: `${numberOf(address)} ${streetOf(address)} ${word}, ${townOf(address)}, ON`, truth: null }
        : null;
    },
  ),
  classOf('number beyond the end', 'a number past both ends of its street', 'either', (address, random, register) =>
    address.isServed ? { text: `${beyond(address, register, random)} ${restOf(address)}`, truth: null } : null,
  ),
];
