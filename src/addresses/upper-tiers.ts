import counties from './lists/counties.json' with { type: 'json' };

/**
 * Counties, regions and districts by name, with the codes of their census divisions: the third and fourth digit of the
 * code of each census subdivision in them. Source: Standard Geographical Classification 2021 (Statistics Canada); the
 * names of united and former counties, and former names in use, by the division that they are in today.
 * Greater Sudbury is a division of its own, but some services put it in the surrounding district.
 */
const divisionsByName: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(counties));

/** Single-tier municipalities that are called counties. */
const countyMunicipalities = new Set(['BRANT', 'HALDIMAND', 'NORFOLK', 'PRINCE EDWARD']);

/** Names of two municipalities, one of them a township: the kind decides. By kind: the census division. */
const byKind: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  HAMILTON: { CITY: ['25'], TOWNSHIP: ['14'], TWP: ['14'] },
};

const longer = 'REGIONAL MUNICIPALITY|DISTRICT MUNICIPALITY|UNITED COUNTIES|REGION|COUNTY|COUNTIES|DISTRICT';
const before = new RegExp(`^(?:${longer}|MUNICIPALITY|COMTE|MUNICIPALITE REGIONALE) (?:OF|DE|DU) (?:THE )?(.+)$`);
const behind = new RegExp(`^(.+) (?:${longer}|CO|CNTY|CTY)$`);

/** The words that the names with their kind begin or end with. */
const kindWords = new Set(
  'REGIONAL DISTRICT MUNICIPALITY UNITED COUNTIES REGION COUNTY COMTE MUNICIPALITE CO CNTY CTY'.split(' '),
);

/** A county, region or district as an address names it. */
interface NamedCounty {
  /** Codes of census divisions. */
  readonly divisions: readonly string[];
  /** True for the name alone, which may be a town's: "Simcoe", "Durham". */
  readonly isBare: boolean;
}

/** Name without spaces -> divisions. */
const divisionsByKey = new Map([...divisionsByName].map(([name, divisions]) => [name.replaceAll(' ', ''), divisions]));

/**
 * Reads words as a county, region or district: "York Region", "Region of Peel", "County of Frontenac", "Simcoe Co",
 * "Simcoe". Null for anything else, and for "Norfolk County", which is a municipality.
 * @param key the words as one, in the form in which names are compared.
 */
export function namedCounty(words: readonly string[], key = words.join('')): NamedCounty | null {
  if (words.length === 1 || !(kindWords.has(words[0]!) || kindWords.has(words.at(-1)!))) {
    const divisions = divisionsByKey.get(key);
    return divisions === undefined ? null : { divisions, isBare: true };
  }
  const text = words.join(' ');
  const name = (before.exec(text) ?? behind.exec(text))?.[1] ?? '';
  const divisions = divisionsByName.get(name);
  const isMunicipality = countyMunicipalities.has(name) && words.includes('COUNTY');
  return divisions === undefined || isMunicipality ? null : { divisions, isBare: false };
}

/** Returns the census divisions of the municipality that words name by its kind: "Township of Hamilton"; else null. */
export function divisionsOfKind(words: readonly string[]): readonly string[] | null {
  const [first = '', of] = words;
  const [kind, name] = of === 'OF' ? [first, words[2]] : [words.at(-1)!, first];
  return (words.length === (of === 'OF' ? 3 : 2) && byKind[name ?? '']?.[kind]) || null;
}

/** "Peterborough County", "County of Peterborough", "York Region": not a municipality, though one may have its name. */
export function isCountyAlone(words: readonly string[]): boolean {
  return namedCounty(words)?.isBare === false;
}

/** Says whether a name without its kind is that of a county, region or district. */
export function isUpperTierName(words: readonly string[]): boolean {
  return divisionsByKey.has(words.join(''));
}
