/** Addresses as the register writes them, also those that the geocoder does not have. */
import { titled } from '../names.ts';
import { classOf, oneOf } from '../question.ts';
import { codeOf, lineOf, officialOf, truthOf } from '../written.ts';

export const plain = [
  classOf('official', 'the official form', 'found', (address, _, register) =>
    register.isPlain(address) ? { text: officialOf(address), truth: truthOf(address) } : null,
  ),
  classOf('official with code', 'the official form with its postal code', 'found', (address, _, register) =>
    register.isPlain(address) && address.postalCode
      ? { text: officialOf(address) + codeOf(address), truth: truthOf(address) }
      : null,
  ),
  classOf(
    'street removed',
    'a street that the geocoder does not have, but others of like names',
    'either',
    (address, _, register) =>
      !address.isServed && register.isUnique(address) && !register.servesStreet(address)
        ? { text: officialOf(address), truth: truthOf(address) }
        : null,
  ),
  classOf(
    'number removed',
    'a number that the geocoder does not have, on a street that it has',
    'either',
    (address, _, register) =>
      !address.isServed && register.isUnique(address) && register.servesStreet(address)
        ? { text: officialOf(address), truth: truthOf(address) }
        : null,
  ),
  classOf(
    'removed with code',
    'an address that the geocoder does not have, with its postal code',
    'either',
    (address, _, register) =>
      !address.isServed && address.postalCode && register.isUnique(address)
        ? { text: officialOf(address) + codeOf(address), truth: truthOf(address) }
        : null,
  ),
  classOf('street of another town', 'a street that a far town has', 'either', (address, random, register) => {
    const other = oneOf(random, register.places);
    if (!register.isFar(other, address) || register.mayHave(other, address)) return null;
    return { text: `${lineOf(address)}, ${titled(other)}, ON`, truth: null };
  }),
  classOf(
    'far town with the code of the address',
    'the code, number and street say one place, the town another: refused, or where the code says',
    'either',
    (address, random, register) => {
      const other = oneOf(random, register.places);
      if (!register.isFar(other, address) || register.mayHave(other, address) || !register.isPlain(address))
        return null;
      return { text: `${lineOf(address)}, ${titled(other)}, ON${codeOf(address)}`, truth: truthOf(address) };
    },
  ),
  classOf(
    'town with the code of a far town',
    'both towns have the number: the code may not move it to the other one',
    'either',
    (address, random, register) => {
      const twins = register
        .everywhere(address)
        .filter((twin) => twin.postalCode !== '' && twin.isServed && register.isFar(twin.municipality, address));
      return twins.length > 0 && register.isPlain(address)
        ? { text: officialOf(address) + codeOf(oneOf(random, twins)), truth: truthOf(address) }
        : null;
    },
  ),
];
