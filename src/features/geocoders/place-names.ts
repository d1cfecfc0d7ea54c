import {
  citiesWithPart,
  divisionOf,
  divisionsOfMunicipality,
  municipalityOfDivision,
  isCountyAlone,
} from '../../addresses/municipal-structure.ts';
import { municipalityKey, municipalityKeys } from '../../addresses/municipality-name.ts';
import { tokenise } from '../../addresses/tokens.ts';

/** Names of the places that contain the point of an answer, by level. One name may be on several levels. */
export interface PlaceNames {
  /** Cities, towns, townships and villages; first the one that belongs in an address: "Old Toronto", "Toronto". */
  readonly municipalities: readonly string[];
  /** Boroughs, districts and suburbs of a municipality, and hamlets. */
  readonly parts: readonly string[];
  readonly neighbourhoods: readonly string[];
  /** Counties, regions, districts and census divisions, with or without that word: "York Region", "York". */
  readonly counties: readonly string[];
}

/**
 * Former municipalities whose names no other place in Ontario has. They are in their city even when the answer does not
 * name it. York is not in the list because of the hamlet of York in Haldimand County.
 */
const unmistakable = new Set(['OLDTORONTO', 'NORTHYORK', 'EASTYORK', 'ETOBICOKE', 'SCARBOROUGH']);

/**
 * Decides which names of an answer an address may use for its place.
 *
 * - A municipality counts, unless the answer puts it in a county that has no municipality of that name.
 * - A county counts only when it is one municipality ("Toronto", "Norfolk County"): York Region is not York.
 * - A former municipality makes its city count when the answer's county is the city's. Neither that city nor the county
 *   counts beside the name of another municipality.
 * - A part counts when it is a known part of the city, or when no municipality in Ontario has its name: a suburb
 *   called Hamilton is not Hamilton. A neighbourhood counts only when it is a known part.
 */
export function addressNames(place: PlaceNames): {
  /** Municipality key -> the name. */
  readonly names: ReadonlyMap<string, string>;
  /** The present municipality; null when no name is left. */
  readonly today: string | null;
} {
  const divisions = place.counties.flatMap((name) => divisionOf(name) ?? []);
  const towns = townsOf(place.municipalities, divisions);
  const claimed = place.municipalities.flatMap(municipalityKeys);
  const around = citiesOf(towns, divisions).filter(([city]) => claimed.every((key) => key === city || !isKnown(key)));
  const cities = new Map([...towns, ...around]);
  const isPart = (key: string): boolean => citiesWithPart(key).some((city) => cities.has(keyOf(city)));
  const names = new Map(cities);
  for (const name of [...everydayNames(cities), ...place.parts, ...place.neighbourhoods]) {
    const key = keyOf(name);
    const mayCount = isPart(key) || (place.parts.includes(name) && isNoMunicipality(name, key));
    if (mayCount && !names.has(key)) names.set(key, name);
  }
  return { names, today: todayOf(cities) ?? [...names.values()][0] ?? null };
}

/** Returns the named municipalities, without counties and without those that the answer's county contradicts. */
function townsOf(municipalities: readonly string[], divisions: readonly string[]): Map<string, string> {
  const towns = new Map<string, string>();
  // One name may have both languages: "Greater Sudbury / Grand Sudbury".
  for (const name of municipalities.flatMap((names) => names.split(' / '))) {
    if (isCountyAlone(tokenise(name))) continue;
    for (const key of municipalityKeys(name)) {
      if (!towns.has(key) && !isElsewhere(key, divisions)) towns.set(key, name);
    }
  }
  return towns;
}

/** Says whether every municipality of that name is outside the divisions that an answer names. */
function isElsewhere(key: string, divisions: readonly string[]): boolean {
  const known = divisionsOfMunicipality(key);
  return known !== null && divisions.length > 0 && !divisions.some((division) => known.has(division));
}

/**
 * Returns cities that the answer does not name on the level of municipalities: its county is one, or its municipality
 * is a former one.
 */
function citiesOf(towns: ReadonlyMap<string, string>, divisions: readonly string[]): [key: string, name: string][] {
  const whole = divisions.flatMap((division) => municipalityOfDivision(division) ?? []);
  const around = [...towns.keys()].flatMap((key) => {
    const cities = citiesWithPart(key).filter((city) => isAround(key, city, divisions));
    return cities.length === 1 ? cities : [];
  });
  return [...whole, ...around].map((name) => [keyOf(name), name]);
}

/** Says whether a former municipality of this name is certainly the one in the city. */
function isAround(key: string, city: string, divisions: readonly string[]): boolean {
  if (divisions.length === 0) return unmistakable.has(key);
  return !isElsewhere(keyOf(city), divisions);
}

/** Adds the names of daily use: people write Sudbury for Greater Sudbury, and Napanee for Greater Napanee. */
function everydayNames(cities: ReadonlyMap<string, string>): string[] {
  return [...cities.values()].flatMap((name) => /^Greater (.+)/.exec(name)?.[1] ?? []);
}

function isKnown(key: string): boolean {
  return divisionsOfMunicipality(key) !== null;
}

function isNoMunicipality(name: string, key: string): boolean {
  return !isKnown(key) && citiesWithPart(key).length === 0 && !isCountyAlone(tokenise(name));
}

/** Returns the last present municipality, because services give the smaller ones first. */
function todayOf(cities: ReadonlyMap<string, string>): string | null {
  const known = [...cities].filter(([key]) => isKnown(key));
  return (known.at(-1) ?? [...cities][0])?.[1] ?? null;
}

function keyOf(name: string): string {
  return municipalityKey(tokenise(name));
}
