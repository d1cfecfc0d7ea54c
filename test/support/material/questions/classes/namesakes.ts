/** Places that are called nearly like the one of the address: its county, its other half, a village. */
import { countiesByName, countyForms, countyOf } from '../counties.ts';
import { areOnePlace, isBetween, type KnownAddress } from '../known-address.ts';
import type { KnownRegister } from '../known-register.ts';
import { folded, isOneLetterApart } from '../names.ts';
import { cityOfPart, directedNames, nearVillages } from '../place-names.ts';
import { classOf, oneOf, type Question, type Random } from '../question.ts';
import { askedIn, codeOf, numberOf, streetOf, townOf, truthOf, lineOf } from '../written.ts';

/** An answer must lie in the county. Where the county may have several such addresses, nothing is asked. */
function askedInCounty(text: string, address: KnownAddress, county: string, register: KnownRegister): Question | null {
  const street = register.streetsInCounty(county, address.key);
  const [first, ...more] = street.filter(({ civic }) => civic === address.civic);
  if (first === undefined) return isBetween(address.civic, street) ? null : { text, truth: null };
  return areOnePlace([first, ...more].flatMap(({ points }) => points))
    ? { text, truth: truthOf(first, ...more) }
    : null;
}

/** Asks an address of X in "East X", where that is another municipality without such an address. */
function askedInNamesake(
  line: string,
  address: KnownAddress,
  random: Random,
  register: KnownRegister,
): Question | null {
  const names = directedNames(address.municipality).filter(
    (name) => !register.csdsOf(name).has(address.csd) && cityOfPart[name] !== address.csd,
  );
  if (names.length === 0 || !address.isServed) return null;
  const name = oneOf(random, names);
  return register.mayHave(name, address) ? null : { text: `${line}, ${name}, ON`, truth: null };
}

export const namesakes = [
  classOf(
    'A2 X asked in East X',
    '"4 Main St, East Hawkesbury", which is another municipality than Hawkesbury',
    'either',
    (address, random, register) =>
      address.direction === '' ? askedInNamesake(lineOf(address), address, random, register) : null,
  ),
  classOf(
    'A2 street E in X asked in East X',
    '"250 Main St, East Hawkesbury": the direction is no part of the street',
    'either',
    (address, random, register) => {
      const line = `${numberOf(address)} ${streetOf({ ...address, direction: '' })}`;
      return address.direction === '' ? null : askedInNamesake(line, address, random, register);
    },
  ),
  classOf('A2 in East X', 'a place whose name has a direction', 'found', (address, _, register) =>
    /^(?:NORTH|SOUTH|EAST|WEST) | (?:NORTH|SOUTH|EAST|WEST)$/.test(folded(address.municipality)) &&
    register.isPlain(address)
      ? { text: askedIn(address, townOf(address)), truth: truthOf(address) }
      : null,
  ),
  classOf('A2 Main St East, X', 'the direction in full before the town', 'found', (address, _, register) => {
    const direction = { N: 'North', S: 'South', E: 'East', W: 'West' }[address.direction];
    return direction !== undefined && register.isPlain(address)
      ? { text: askedIn({ ...address, direction }, townOf(address)), truth: truthOf(address) }
      : null;
  }),
  classOf(
    'A2 East X with its code',
    '"394 Harvie Ave, East York, ON M4C 1A1": place and code say East York, only York has the number',
    'either',
    (address, random, register) => {
      const names = directedNames(address.municipality).filter((name) => register.csdsOf(name).has(address.csd));
      if (names.length === 0 || !register.isPlain(address) || address.postalCode === '') return null;
      const name = oneOf(random, names);
      const there = register.inPlace(name);
      const withCode = there.find(({ postalCode }) => postalCode !== '');
      if (withCode?.postalCode.slice(0, 3) === address.postalCode.slice(0, 3)) return null;
      return withCode === undefined || there.some(({ key }) => key === address.key)
        ? null
        : { text: askedIn(address, name) + codeOf(withCode), truth: null };
    },
  ),
  classOf(
    'A7 Region of X',
    '"200 King St, Region of Durham", which the town of Durham has',
    'either',
    (address, random, register) => {
      const county = countiesByName.get(folded(address.municipality));
      return county !== undefined && address.isServed
        ? askedInCounty(askedIn(address, oneOf(random, countyForms(county))), address, county.name, register)
        : null;
    },
  ),
  classOf(
    'A7 county alone',
    '"100 Main St, Halton", which has no such address and is no misspelt Malton',
    'either',
    (address, random, register) => {
      const counties = [...countiesByName.values()].filter(({ name }) => !register.isPlace(name));
      const near = counties.filter(({ name }) => isOneLetterApart(folded(name), folded(address.municipality)));
      const county = oneOf(random, near.length > 0 ? near : counties);
      return address.isServed
        ? askedInCounty(
            askedIn(address, oneOf(random, [county.name, ...countyForms(county)])),
            ...([address, county.name, register] as const),
          )
        : null;
    },
  ),
  classOf(
    'A7 Township of Hamilton',
    'a township that is another municipality than the city of its name',
    'either',
    (address, random) =>
      folded(address.municipality) === 'HAMILTON' && address.isServed && countyOf(address.csd) === null
        ? { text: askedIn(address, oneOf(random, ['Township of Hamilton', 'Hamilton Township'])), truth: null }
        : null,
  ),
  classOf(
    'A8 village one letter away',
    '"61 King St E, Brookville" is not in Brockville',
    'either',
    (address, random, register) => {
      const villages = nearVillages(address.municipality, register);
      return villages.length > 0 && address.isServed
        ? { text: askedIn(address, oneOf(random, villages)), truth: null }
        : null;
    },
  ),
];
