/** What is no address of Ontario, or none that the register has. */
import { inventedName } from '../words.ts';
import { isBetween, sameType, type KnownAddress } from '../known-address.ts';
import type { KnownRegister } from '../known-register.ts';
import { classOf, oneOf, type QuestionClass, type Random } from '../question.ts';
import { codeOf, lineOf, numberOf, officialOf, streetOf, townOf } from '../written.ts';

type Write = (address: KnownAddress, random: Random, register: KnownRegister) => string | null;

function refused(name: string, shows: string, write: Write): QuestionClass {
  return classOf(name, shows, 'either', (address, random, register) => {
    const text = address.isServed ? write(address, random, register) : null;
    return text === null ? null : { text, truth: null };
  });
}

export const refusedClasses = [
  refused('no number', 'a street and a town', (address) => `${streetOf(address)}, ${townOf(address)}, ON`),
  refused('town alone', 'a town, perhaps with a code', (address) => `${townOf(address)}, Ontario${codeOf(address)}`),
  refused(
    'intersection',
    'two streets and no number',
    (address, random, register) =>
      `${streetOf(address)} ${oneOf(random, ['&', 'and', 'at', '@'])} ${streetOf(oneOf(random, register.addresses))}, ${townOf(address)}, ON`,
  ),
  refused(
    'box or route alone',
    'delivery without a civic address',
    (address, random) =>
      `${oneOf(random, ['PO Box 12', 'RR 3', 'P.O. Box 1200 Stn Main', 'General Delivery', 'C.P. 44', 'RR#2 Site 4 Comp 9', 'GD'])}, ${townOf(address)}, ON`,
  ),
  refused(
    'another province',
    'a line of the register elsewhere in Canada',
    (address, random) =>
      `${lineOf(address)}, ${oneOf(random, ['Montréal, QC H2X 1A1', 'Calgary, AB', 'Halifax NS B3H 1A1', 'Winnipeg, Manitoba', 'Vancouver BC', 'Gatineau, Québec'])}`,
  ),
  refused(
    'another country',
    'a line of the register in another country',
    (address, random) =>
      `${lineOf(address)}, ${oneOf(random, ['Buffalo, NY 14201', 'Detroit MI 48226, USA', 'Columbus, Ohio 43004', 'Paris, France', 'Austin, TX 73301'])}`,
  ),
  refused(
    'invented street',
    'a street that no town has',
    (address, random) => `${numberOf(address)} ${inventedName(random)} ${address.type}, ${townOf(address)}, ON`,
  ),
  refused(
    'type of another street',
    '"330 Spadina Rd": only Spadina Ave has the number, and there is a Spadina Rd',
    (address, random, register) => {
      const others = register
        .street(address.municipality, address.key)
        .filter(({ name, type }) => name === address.name && type !== '' && sameType(type) !== sameType(address.type));
      if (others.length === 0 || address.type === '' || /\d/.test(address.name)) return null;
      const { type, direction } = oneOf(random, others);
      const ofType = register
        .street(address.municipality, address.key)
        .filter((other) => sameType(other.type) === sameType(type));
      // One row alone may be the same street, with a mistake in its type.
      return ofType.length < 2 || isBetween(address.civic, ofType) ? null : officialOf({ ...address, type, direction });
    },
  ),
];
