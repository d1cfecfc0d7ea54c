/** Units, floors, boxes and what else stands beside the civic number. */
import { areOnePlace, isSameStreet, type KnownAddress } from '../known-address.ts';
import type { KnownRegister } from '../known-register.ts';
import { isRoadWord } from '../counties.ts';
import { oneOf } from '../question.ts';
import type { Way } from './way.ts';

/** Not where the unit may be a number of the street itself. */
function before(...units: readonly string[]): Way {
  return ({ address, line, tail }, random, register) => {
    const unit = oneOf(random, units);
    const isNumber = register.mayHave(address.municipality, { key: address.key, civic: Number.parseInt(unit, 10) });
    return isNumber ? null : `${unit}${line}${tail}`;
  };
}

function behind(...units: readonly string[]): Way {
  return ({ line, tail }, random) => `${line}${oneOf(random, units)}${tail}`;
}

/** "County Rd # 5" is a road of its own. */
function isNumberedKind({ name, type }: KnownAddress): boolean {
  return /^(?:HWY|LINE|CONC|SIDERD)$/.test(type) || /\d/.test(name) || (type === 'RD' && isRoadWord(name));
}

/** The next number of the same side, when it is in the same building or beside it. */
function nextNumber(address: KnownAddress, register: KnownRegister): number | null {
  const next = register
    .street(address.municipality, address.key)
    .find((other) => isSameStreet(other, address) && other.civic === address.civic + 2 && other.isServed);
  const isBeside = next !== undefined && areOnePlace([...address.points, ...next.points]);
  return address.suffix === '' && isBeside ? next.civic : null;
}

function range(join: string): Way {
  return ({ address, street, tail }, _, register) => {
    const next = nextNumber(address, register);
    return next === null ? null : `${address.civic}${join}${next} ${street}${tail}`;
  };
}

/** Not where the last three digits are a number of the street, and the first a unit. */
function thousands(separator: string): Way {
  return ({ address, number, street, town, tail }, _, register) =>
    address.civic < 1000 || register.mayHave(town, { key: address.key, civic: address.civic % 1000 })
      ? null
      : `${number.replace(/^(\d+)(\d{3})/, `$1${separator}$2`)} ${street}${tail}`;
}

/** Digits of another script, by the code point of its zero. */
function digits(zero: number): Way {
  return ({ line, tail }) => line.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit))) + tail;
}

export const unitWays: Readonly<Record<string, Way>> = {
  'Apt before': before('Apt 4, ', 'Apt. 12 - ', 'apt 3B, '),
  'Unit # before': before('Unit #12 - ', 'Unit # 3, ', 'UNIT 7 - '),
  'number sign before': before('#5-', '#12 - ', '#3, '),
  'hyphen before': before('302-', '12 - ', '1A-'),
  'Suite before': before('Suite 800, ', 'Ste 210, ', 'STE. 4 - '),
  'penthouse before': before('PH2-', 'PH 2 - ', 'Penthouse 1, '),
  'letter before': before('B-', 'C - '),
  'French unit before': before('App. 3, ', 'Bureau 200, ', 'Unité 4, '),
  'Apt behind': behind(' Apt 4', ', Apt. 12', ' apt 3B'),
  'Unit behind': behind(', Unit 12', ' Unit #3', ' UNIT 7'),
  'number sign behind': (parts, random, register) =>
    isNumberedKind(parts.address) ? null : behind(' #5', ', #12', ' # 3')(parts, random, register),
  'Suite behind': behind(', Suite B', ' Ste 210', ', Suite 800'),
  'French unit behind': behind(', bureau 200', ' app. 3', ', unité 4'),
  'floor behind': behind(', 2nd Floor', ' 3rd Fl', ', Floor 2', ' Main Floor'),
  'basement behind': behind(' Basement', ', Bsmt', ' (Basement)'),
  'upper or lower behind': behind(' Upper', ' Lower Level', ' Upper Level', ', Lower'),
  'rear behind': behind(' Rear', ', Rear'),
  'Room behind': behind(' Room 12', ', Rm 4'),
  'letter glued': ({ address, street, tail }) => (address.suffix === '' ? `${address.civic}B ${street}${tail}` : null),
  half: ({ address, street, tail }) => (address.suffix === '' ? `${address.civic} 1/2 ${street}${tail}` : null),
  'leading zeros': ({ line, tail }) => `00${line}${tail}`,
  'Civic # before': before('Civic # ', 'Civic #', 'Civic no. ', 'Civic '),
  'No. before': before('No. ', 'No ', 'Number '),
  range: range('-'),
  'range with to': range(' to '),
  'two numbers with &': range(' & '),
  'two numbers with a slash': (parts, random, register) =>
    parts.address.civic < 20 ? null : range('/')(parts, random, register),
  'two numbers with and': range(' and '),
  'thousands with a comma': thousands(','),
  'thousands with a space': thousands(' '),
  'thousands with a full stop': thousands('.'),
  'number behind': ({ address, number, street, tail }) =>
    isNumberedKind(address) || /^(?:RD|GATE)$/.test(address.type) ? null : `${street} ${number}${tail}`,
  'number behind a comma': ({ address, number, street, tail }) =>
    isNumberedKind(address) || address.type === 'GATE' ? null : `${street}, ${number}${tail}`,
  'full-width digits': digits(0xff10),
  'Arabic-Indic digits': digits(0x660),
  'rural route behind': behind(' RR 2', ', R.R. #4', ', RR#1'),
  'box behind': behind(', PO Box 70', ' Box 12', ', P.O. Box 1200'),
};
