import { upperTierMunicipalities } from './municipal-structure.ts';

/** Counties, regions and districts, which are less precise than the municipality before them. */
const names = new Set(Object.keys(upperTierMunicipalities));

const kinds = new Set(['REGION', 'COUNTY', 'DISTRICT', 'MUNICIPALITY', 'COUNTIES']);

/** "York Region", "Region of Peel", "Regional Municipality of Niagara", "Frontenac County", "District of Muskoka". */
export function isUpperTier(words: readonly string[]): boolean {
  if (!words.some((word) => kinds.has(word))) return false;
  const text = words.join(' ');
  const name =
    /^(.+) (?:REGION|COUNTY|DISTRICT|REGIONAL MUNICIPALITY)$/.exec(text)?.[1] ??
    /^(?:REGION|COUNTY|DISTRICT|REGIONAL MUNICIPALITY|UNITED COUNTIES) OF (.+)$/.exec(text)?.[1];
  return name !== undefined && names.has(name);
}

/** Single-tier municipalities that are called counties. */
const countyMunicipalities = new Set(['BRANT', 'HALDIMAND', 'NORFOLK', 'PRINCE EDWARD']);

/** "Peterborough County", "County of Peterborough", "York Region": not a municipality, though one may have its name; "Norfolk County" is one. */
export function isCountyAlone(words: readonly string[]): boolean {
  const name = words.filter((word) => word !== 'COUNTY' && word !== 'OF').join(' ');
  return isUpperTier(words) && !(words.includes('COUNTY') && countyMunicipalities.has(name));
}
