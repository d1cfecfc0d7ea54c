/** Towns, counties and what else stands at the end of an address. */
import { distanceM } from '../../../../src/shared/addresses/distance.ts';
import { countiesByName, countyForms, countyOf } from '../counties.ts';
import {
  areOnePlace,
  isBetween,
  isSameStreet,
  isWrittenPlace,
  type KnownAddress,
  type KnownRegister,
} from '../known-register.ts';
import { folded, isOneLetterApart, titled } from '../names.ts';
import { cityOfPart, directedNames, nearVillages } from '../place-names.ts';
import { classOf, oneOf, type Question, type Random } from '../question.ts';
import { codeOf, lineOf, numberOf, streetOf, townOf, truthOf } from '../written.ts';

const OTHER_STREET_M = 5000;

/** The same number and street in places that share nothing with this one. */
function twinsOf(address: KnownAddress, register: KnownRegister): KnownAddress[] {
  return register
    .everywhere(address)
    .filter(
      (other) =>
        other.type === address.type &&
        other.direction === address.direction &&
        !register.areRelated(other.municipality, address.municipality),
    );
}

function isInCounty({ csd }: KnownAddress, name: string): boolean {
  return folded(countyOf(csd)?.name ?? '') === folded(name);
}

/** The line of an address before other names. */
function asked(address: KnownAddress, ...names: readonly string[]): string {
  return [lineOf(address), ...names, 'ON'].join(', ');
}

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

/** Whether two streets of a name in one city are not the same one, which goes on: they are far apart and have the same numbers. */
function areTwoStreets(a: readonly KnownAddress[], b: readonly KnownAddress[]): boolean {
  const isFar = a.every(({ points: [at] }) =>
    b.every(({ points: [there] }) => at !== undefined && there !== undefined && distanceM(at, there) > OTHER_STREET_M),
  );
  return isFar && (a.some(({ civic }) => isBetween(civic, b)) || b.some(({ civic }) => isBetween(civic, a)));
}

export const places = [
  classOf(
    'A1 town, county',
    '"100 Queen St, Barrie, Simcoe": the county is named like a town that has the number too',
    'found',
    (address, _, register) => {
      const county = countyOf(address.csd)?.name ?? '';
      const hasTwin = twinsOf(address, register).some((twin) => folded(twin.municipality) === folded(county));
      return hasTwin && register.isPlain(address)
        ? { text: asked(address, townOf(address), county), truth: truthOf(address) }
        : null;
    },
  ),
  classOf(
    'A1 town, other town',
    '"14 Fourth Ave, Kingston, Sioux Lookout": both have the number, and neither lies in the other',
    'either',
    (address, random, register) => {
      const twins = twinsOf(address, register).filter(
        (twin) => twin.isServed && !isInCounty(address, twin.municipality) && !isInCounty(twin, address.municipality),
      );
      return twins.length > 0 && register.isPlain(address)
        ? { text: asked(address, townOf(address), townOf(oneOf(random, twins))), truth: null }
        : null;
    },
  ),
  classOf(
    'A1 namesake of the county',
    'the town lacks the number, and the town with the name of its county has it',
    'either',
    (address, random, register) => {
      const county = countiesByName.get(folded(address.municipality))?.name;
      if (county === undefined || !address.isServed) return null;
      const towns = register
        .townsOf(county)
        .filter((town) => !register.areRelated(town, address.municipality) && !register.mayHave(town, address));
      return towns.length > 0 ? { text: asked(address, titled(oneOf(random, towns)), county), truth: null } : null;
    },
  ),
  classOf('A1 town, bare county', '"Welland, Niagara"', 'found', (address, _, register) => {
    const county = countyOf(address.csd)?.name;
    if (county === undefined || folded(county) === folded(address.municipality)) return null;
    return register.isPlain(address) && !register.mayHave(county, address)
      ? { text: asked(address, townOf(address), county), truth: truthOf(address) }
      : null;
  }),
  classOf('A1 town, County of', '"Barrie, County of Simcoe"', 'found', (address, random, register) => {
    const county = countyOf(address.csd);
    return county !== null && register.isPlain(address)
      ? { text: asked(address, townOf(address), oneOf(random, countyForms(county))), truth: truthOf(address) }
      : null;
  }),
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
      ? { text: asked(address, townOf(address)), truth: truthOf(address) }
      : null,
  ),
  classOf('A2 Main St East, X', 'the direction in full before the town', 'found', (address, _, register) => {
    const direction = { N: 'North', S: 'South', E: 'East', W: 'West' }[address.direction];
    return direction !== undefined && register.isPlain(address)
      ? { text: asked({ ...address, direction }, townOf(address)), truth: truthOf(address) }
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
        : { text: asked(address, name) + codeOf(withCode), truth: null };
    },
  ),
  classOf(
    'A9 part of a city with its own street',
    '"300 King St, Weston": Weston has a King St without the number, and Scarborough, in the same city, has it',
    'either',
    (address, random, register) => {
      if (!address.isServed || !register.isUnique(address, 'name')) return null;
      const street = register.street(address.municipality, address.key);
      const inPart = (part: string): KnownAddress[] =>
        street.filter((other) => other.municipality === part && isSameStreet(other, address));
      const own = inPart(address.municipality);
      const cities = address.csdName.split(' / ').map(folded);
      const parts = [...new Set(street.map(({ municipality }) => municipality))].filter(
        (part) =>
          !cities.includes(folded(part)) &&
          isWrittenPlace(part) &&
          inPart(part).some(({ isServed }) => isServed) &&
          !isBetween(address.civic, inPart(part)) &&
          areTwoStreets(own, inPart(part)),
      );
      return parts.length > 0 ? { text: asked(address, titled(oneOf(random, parts))), truth: null } : null;
    },
  ),
  classOf(
    'A7 Region of X',
    '"200 King St, Region of Durham", which the town of Durham has',
    'either',
    (address, random, register) => {
      const county = countiesByName.get(folded(address.municipality));
      return county !== undefined && address.isServed
        ? askedInCounty(asked(address, oneOf(random, countyForms(county))), address, county.name, register)
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
            asked(address, oneOf(random, [county.name, ...countyForms(county)])),
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
        ? { text: asked(address, oneOf(random, ['Township of Hamilton', 'Hamilton Township'])), truth: null }
        : null,
  ),
  classOf(
    'A8 village one letter away',
    '"61 King St E, Brookville" is not in Brockville',
    'either',
    (address, random, register) => {
      const villages = nearVillages(address.municipality, register);
      return villages.length > 0 && address.isServed
        ? { text: asked(address, oneOf(random, villages)), truth: null }
        : null;
    },
  ),
];
