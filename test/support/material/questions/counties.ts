import { folded } from './names.ts';

/** An upper-tier municipality or a northern district. */
export interface County {
  readonly name: string;
  readonly kind: 'county' | 'counties' | 'region' | 'district';
}

const names: Readonly<Record<County['kind'], Readonly<Record<number, string>>>> = {
  county: {
    ...{ 9: 'Lanark', 10: 'Frontenac', 12: 'Hastings', 14: 'Northumberland', 15: 'Peterborough', 22: 'Dufferin' },
    ...{ 11: 'Lennox and Addington', 23: 'Wellington', 31: 'Perth', 32: 'Oxford', 34: 'Elgin', 37: 'Essex' },
    ...{ 38: 'Lambton', 39: 'Middlesex', 40: 'Huron', 41: 'Bruce', 42: 'Grey', 43: 'Simcoe', 46: 'Haliburton' },
    ...{ 47: 'Renfrew' },
  },
  counties: { 1: 'Stormont Dundas and Glengarry', 2: 'Prescott and Russell', 7: 'Leeds and Grenville' },
  region: { 18: 'Durham', 19: 'York', 21: 'Peel', 24: 'Halton', 26: 'Niagara', 30: 'Waterloo' },
  district: {
    ...{ 44: 'Muskoka', 48: 'Nipissing', 49: 'Parry Sound', 51: 'Manitoulin', 52: 'Sudbury', 54: 'Timiskaming' },
    ...{ 56: 'Cochrane', 57: 'Algoma', 58: 'Thunder Bay', 59: 'Rainy River', 60: 'Kenora' },
  },
};

const byDivision = new Map<number, County>(
  Object.entries(names).flatMap(([kind, list]) =>
    Object.entries(list).map(([division, name]) => [Number(division), { name, kind: kind as County['kind'] }]),
  ),
);

/** Every county by its folded name. */
export const countiesByName: ReadonlyMap<string, County> = new Map(
  [...byDivision.values()].map((county) => [folded(county.name), county]),
);

/** The county of a census subdivision, whose code says it: 35, two digits for the census division, three more. Null for a single tier. */
export function countyOf(csdCode: number): County | null {
  return byDivision.get(Math.floor(csdCode / 1000) % 100) ?? null;
}

/** Also true for Greater Sudbury, which is a division of its own, but which many count to the district around it. */
export function mayBeInCounty(csdCode: number, county: string): boolean {
  const division = Math.floor(csdCode / 1000) % 100;
  return folded(byDivision.get(division === 53 ? 52 : division)?.name ?? '') === folded(county);
}

/** Ways to write a county so that nobody takes it for a town. */
export function countyForms({ name, kind }: County): readonly string[] {
  switch (kind) {
    case 'county':
      return [`County of ${name}`, `${name} County`];
    case 'counties':
      return [`United Counties of ${name}`];
    case 'region':
      return [`Region of ${name}`, `${name} Region`, `Regional Municipality of ${name}`];
    case 'district':
      return [`District of ${name}`, `${name} District`];
  }
}

const otherRoadWords = new Set(['COUNTY', 'REGIONAL', 'TOWNSHIP']);

/** Whether a road of this name is told from others by a number behind it: "Simcoe Rd 88", "County Rd 29". */
export function isRoadWord(name: string): boolean {
  return otherRoadWords.has(folded(name)) || countiesByName.has(folded(name));
}
