/** Towns, counties and what else stands at the end of an address. */
import { countiesByName, countyForms, countyOf } from '../counties.ts';
import { isApart, isBetween, isSameStreet, isWrittenPlace, type KnownAddress } from '../known-address.ts';
import type { KnownRegister } from '../known-register.ts';
import { folded, titled } from '../names.ts';
import { classOf, oneOf } from '../question.ts';
import { askedIn, townOf, truthOf } from '../written.ts';

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

/** Whether two streets of a name in one city are not the same one, which goes on: they are far apart and have the same numbers. */
function areTwoStreets(a: readonly KnownAddress[], b: readonly KnownAddress[]): boolean {
  const isFar = a.every((one) => b.every((other) => isApart(one, other, OTHER_STREET_M)));
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
        ? { text: askedIn(address, townOf(address), county), truth: truthOf(address) }
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
        ? { text: askedIn(address, townOf(address), townOf(oneOf(random, twins))), truth: null }
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
      return towns.length > 0 ? { text: askedIn(address, titled(oneOf(random, towns)), county), truth: null } : null;
    },
  ),
  classOf('A1 town, bare county', '"Welland, Niagara"', 'found', (address, _, register) => {
    const county = countyOf(address.csd)?.name;
    if (county === undefined || folded(county) === folded(address.municipality)) return null;
    return register.isPlain(address) && !register.mayHave(county, address)
      ? { text: askedIn(address, townOf(address), county), truth: truthOf(address) }
      : null;
  }),
  classOf('A1 town, County of', '"Barrie, County of Simcoe"', 'found', (address, random, register) => {
    const county = countyOf(address.csd);
    return county !== null && register.isPlain(address)
      ? { text: askedIn(address, townOf(address), oneOf(random, countyForms(county))), truth: truthOf(address) }
      : null;
  }),
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
      return parts.length > 0 ? { text: askedIn(address, titled(oneOf(random, parts))), truth: null } : null;
    },
  ),
];
