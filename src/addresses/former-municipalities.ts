import list from './lists/former-municipalities.json' with { type: 'json' };
import { municipalityKey } from './municipality-name.ts';
import { tokenise } from './tokens.ts';

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
