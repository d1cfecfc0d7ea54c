import municipalities from './lists/municipalities.json' with { type: 'json' };
import { municipalityKey } from './municipality-name.ts';
import { tokenise } from './tokens.ts';

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
