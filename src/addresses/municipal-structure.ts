import municipalities from './lists/municipalities.json' with { type: 'json' };
import { municipalityKey } from './municipality-name.ts';
import { tokenise } from './tokens.ts';
import villages from './lists/villages.json' with { type: 'json' };
import list from './lists/former-municipalities.json' with { type: 'json' };

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
