import { fault } from './faults.ts';
import { municipalityKey } from './municipality-name.ts';
import type { MunicipalityCut } from './reading.ts';
import { isOneEdit } from './one-edit.ts';
import { isCountyAlone, isUpperTier } from './upper-tiers.ts';

/** Known municipality names, by key. */
export interface MunicipalityNames {
  has(key: string): boolean;
  /** Every key of a length. */
  ofLength(length: number): readonly string[];
}

/** Words of the longest name: "Leeds and the Thousand Islands Township" and the like. */
const LONGEST_NAME = 7;

/** Words that must remain in front: a civic number and one word of a street. */
const LEAST_HEAD = 2;

/**
 * Returns the ways to cut a known municipality off the end, longest name first. A second name before it ("Cumberland,
 * Ottawa") makes a further cut; a county or region behind it ("Newmarket, York Region") is dropped.
 */
export function cutMunicipalities(words: readonly string[], names: MunicipalityNames): MunicipalityCut[] {
  const cuts: MunicipalityCut[] = [];
  for (const { head, key } of cutOnce(words, names)) {
    const [inner] = cutOnce(head, names);
    cuts.push({ head, municipalities: [key], faults: [] });
    if (inner) cuts.push({ head: inner.head, municipalities: [inner.key, key], faults: [] });
  }
  for (let n = 1; n <= 4 && n < words.length; n++) {
    if (isUpperTier(words.slice(-n))) cuts.push(...cutMunicipalities(words.slice(0, -n), names));
  }
  return cuts;
}

function cutOnce(words: readonly string[], names: MunicipalityNames): { head: readonly string[]; key: string }[] {
  const cuts: { head: readonly string[]; key: string }[] = [];
  const county = countyWords(words);
  for (let n = Math.min(LONGEST_NAME, words.length - LEAST_HEAD); n > county; n--) {
    const key = municipalityKey(words.slice(-n));
    if (key !== '' && names.has(key) && !cuts.some((cut) => cut.key === key))
      cuts.push({ head: words.slice(0, -n), key });
  }
  return cuts;
}

/**
 * Counts the words of a "County of Peterborough" at the end. They are not searched for a municipality, because the city
 * of that name is another place.
 */
function countyWords(words: readonly string[]): number {
  const at = words.lastIndexOf('OF') - 1;
  return at >= LEAST_HEAD && words[at] === 'COUNTY' && isCountyAlone(words.slice(at)) ? words.length - at : 0;
}

/** Names shorter than this are not corrected. */
const SHORTEST_CORRECTED = 5;

/** Most words of a misspelt name. */
const LONGEST_CORRECTED = 4;

/** Does the same as `cutMunicipalities` for a name with one typing error. */
export function cutMisspeltMunicipality(words: readonly string[], names: MunicipalityNames): MunicipalityCut[] {
  const cuts: MunicipalityCut[] = [];
  for (let n = Math.min(LONGEST_CORRECTED, words.length - LEAST_HEAD); n > 0; n--) {
    const key = municipalityKey(words.slice(-n));
    if (key.length < SHORTEST_CORRECTED || /\d/.test(key) || names.has(key)) continue;
    const near = [key.length - 1, key.length, key.length + 1]
      .flatMap((length) => names.ofLength(length))
      .filter((name) => isOneEdit(key, name));
    for (const name of near) {
      cuts.push({
        head: words.slice(0, -n),
        municipalities: [name],
        faults: [fault('MUNICIPALITY_CORRECTED', `${words.slice(-n).join(' ')} read as ${name}`)],
      });
    }
  }
  return cuts;
}
