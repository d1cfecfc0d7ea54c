import counties from './lists/counties.json' with { type: 'json' };
import municipalities from './lists/municipalities.json' with { type: 'json' };
import { municipalityKey } from './municipality-name.ts';
import { tokenise } from './tokens.ts';
import villages from './lists/villages.json' with { type: 'json' };
import list from './lists/former-municipalities.json' with { type: 'json' };

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

/** Name without spaces -> divisions. */
const codesByKey = new Map([...divisionsByName].map(([name, divisions]) => [name.replaceAll(' ', ''), divisions]));

/**
 * Reads words as a county, region or district: "York Region", "Region of Peel", "County of Frontenac", "Simcoe Co",
 * "Simcoe". Null for anything else, and for "Norfolk County", which is a municipality.
 * @param key the words as one, in the form in which names are compared.
 */
export function namedCounty(
  words: readonly string[],
  key = words.join(''),
): {
  /** Codes of census divisions. */
  readonly divisions: readonly string[];
  /** True for the name alone, which may be a town's: "Simcoe", "Durham". */
  readonly isBare: boolean;
} | null {
  if (words.length === 1 || !(kindWords.has(words[0]!) || kindWords.has(words.at(-1)!))) {
    const divisions = codesByKey.get(key);
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
  return codesByKey.has(words.join(''));
}

/**
 * Name of a county, region or district, in upper case -> the municipalities in it, including those that are separated from their
 * county's government. Source: the list of Ontario's municipalities (Association of Municipalities of Ontario, 2026).
 * For the northern districts it has the cities and towns but not the smaller townships, so a missing name may still be
 * a municipality. Greater Sudbury is a separate division, but some services put it in the surrounding district. `alone`: census divisions without
 * a county or region; they are one municipality, or were until 2001.
 */
const divisions: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({ ...municipalities.inCounties, ...municipalities.alone }),
);

/** Key of a municipality -> the divisions that it is in. */
const divisionsByKey = new Map<string, Set<string>>();
for (const [division, names] of divisions) {
  for (const name of names) {
    const key = municipalityKey(tokenise(name));
    divisionsByKey.set(key, (divisionsByKey.get(key) ?? new Set()).add(division));
  }
}

/**
 * "York Region", "Regional Municipality of Waterloo", "Toronto Division" and the names alone: returns the division's
 * name; null for anything else.
 */
export function divisionOf(name: string): string | null {
  const text = tokenise(name).join(' ');
  const bare = text
    .replace(/^(?:CITY|REGION|COUNTY|DISTRICT|(?:(?:REGIONAL|DISTRICT) )?MUNICIPALITY|UNITED COUNTIES) OF /, '')
    .replace(/ (?:REGION|COUNTY|DISTRICT|DIVISION|(?:REGIONAL|DISTRICT) MUNICIPALITY|UNITED COUNTIES)$/, '');
  return divisions.has(bare) ? bare : null;
}

/**
 * Returns the municipality of a division that is one municipality; null for a division with several, such as every
 * county and region with its own council.
 */
export function municipalityOfDivision(division: string): string | null {
  const [only = null, ...others] = divisions.get(division) ?? [];
  return others.length === 0 ? only : null;
}

/** Returns the divisions that have a municipality of this name; null when no municipality of this name is known. */
export function divisionsOfMunicipality(key: string): ReadonlySet<string> | null {
  return divisionsByKey.get(key) ?? null;
}

/**
 * Villages and hamlets of Ontario beside those in `lists/former-municipalities.json`: a name of this list is never taken for a
 * misspelt one ("Brookville" is not Brockville). The names are those of Canada's geographical names (Natural Resources
 * Canada, Open Government Licence - Canada), chosen by hand where they are near the name of a town; the list is not
 * complete (docs/decisions/0165).
 */
const communities = new Set(villages.map((name) => municipalityKey(tokenise(name))));

/** Says whether a key (`municipalityKey`) is that of a village or hamlet of the list. */
export function isCommunity(key: string): boolean {
  return communities.has(key);
}

/**
 * Former municipalities, communities and everyday names by the census subdivision they belong to today, beside the mailing names
 * that the register itself attests. Sources: the amalgamations of 1970 to 2001 and the reference list of mailing places.
 */
export const formerMunicipalities: Readonly<Record<string, readonly string[]>> = list;

/** Key of a former municipality or community -> the municipalities it may be in: there is a Thornhill in Vaughan and in Markham. */
const citiesByPart = new Map<string, string[]>();
for (const [city, parts] of Object.entries(formerMunicipalities)) {
  for (const part of parts) {
    const key = municipalityKey(tokenise(part));
    citiesByPart.set(key, [...(citiesByPart.get(key) ?? []), city]);
  }
}

/** The municipalities of today that have a part of this name; none when the name is not known. */
export function citiesWithPart(key: string): readonly string[] {
  return citiesByPart.get(key) ?? [];
}
