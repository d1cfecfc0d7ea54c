import { without, type AddressWords } from './address-words.ts';
import { isPostalArea, postalCode, repairedPostalCode } from './postal-code.ts';
import { canada, ontario, otherCountries, otherProvinces, stateCodes, stateNames } from './regions.ts';
import { isDesignator } from './units.ts';
import { isUpperTierName } from './upper-tiers.ts';

export interface Tail {
  /** What stands before country, province and postal code. */
  readonly rest: AddressWords;
  /** Six characters, or the three of its area; null when there is none. */
  readonly postalCode: string | null;
  /** The province, state or country outside Ontario that the address names, as written. */
  readonly elsewhere: string | null;
}

/**
 * Takes country, province and postal code off the end of an address, in any order. "Ontario St" is a street.
 * @param known what was taken before, where something else stood behind the rest.
 */
export function takeTail(
  address: AddressWords,
  isMunicipality: (words: readonly string[]) => boolean,
  known: Pick<Tail, 'postalCode' | 'elsewhere'> = { postalCode: null, elsewhere: null },
): Tail {
  const tail = new TailReader([...address.words], isMunicipality, known);
  while (tail.takeOne());
  const rest = { words: tail.words, begins: address.begins.slice(0, tail.words.length) };
  return {
    rest: withoutProvince(tail.takePostalCodeInside(rest), isMunicipality),
    postalCode: tail.postalCode,
    elsewhere: tail.elsewhere,
  };
}

/**
 * "Kingston, Ontario, 5 Main St": the province, or the country, as a part of its own in the middle. "Ancaster ON, 35 …", "35 … Rd ON,
 * Ancaster": the province at the end of a part; in full only behind a town, because "rue Ontario" is a street.
 */
function withoutProvince(rest: AddressWords, isMunicipality: (words: readonly string[]) => boolean): AddressWords {
  const { words, begins } = rest;
  const at = words.findIndex((word, i) => {
    if (!begins[i + 1] || !(ontario.has(word) || canada.has(word))) return false;
    return begins[i] || word === 'ON' || word === 'ONT' || isMunicipality(words.slice(begins.lastIndexOf(true, i), i));
  });
  return at < 0 ? rest : withoutProvince(without(rest, at, 1), isMunicipality);
}

/**
 * Last word of a region's name -> number of words in the longest name with that ending. Most words are not in the map.
 */
const regionEnds = new Map<string, number>();
for (const name of [...ontario, ...otherProvinces, ...otherCountries]) {
  const words = name.split(' ');
  const last = words.at(-1)!;
  regionEnds.set(last, Math.max(words.length, regionEnds.get(last) ?? 0));
}

class TailReader {
  words: string[];
  postalCode: string | null;
  elsewhere: string | null;
  readonly #isMunicipality: (words: readonly string[]) => boolean;

  constructor(
    words: string[],
    isMunicipality: (words: readonly string[]) => boolean,
    { postalCode: code, elsewhere }: Pick<Tail, 'postalCode' | 'elsewhere'>,
  ) {
    this.words = words;
    this.postalCode = code;
    this.elsewhere = elsewhere;
    this.#isMunicipality = isMunicipality;
  }

  /** Takes one part off the end; false when none is left. */
  takeOne(): boolean {
    const isPart = this.#takeCountry() || this.#takePostalCode() || this.#takeZip() || this.#takeRegion();
    return isPart || this.#takeState() || this.#takePostalArea();
  }

  #takeCountry(): boolean {
    const [before, last = ''] = this.words.slice(-2);
    // "Toronto, ON, CA"; "CA 95014" is California.
    const isCanada = canada.has(last) || (last === 'CA' && before !== undefined && ontario.has(before));
    if (isCanada) this.words.pop();
    return isCanada;
  }

  #takePostalCode(): boolean {
    if (this.postalCode !== null) return false;
    const { words } = this;
    for (const [parts, count] of lastParts(words)) {
      const code = postalCode(parts) ?? repairedPostalCode(parts, ontario.has(words.at(-1 - count) ?? ''));
      if (code === null) continue;
      this.postalCode = code;
      words.length -= count;
      return true;
    }
    return false;
  }

  /** "K7P" alone. "Unit K7P" is a unit. */
  #takePostalArea(): boolean {
    const [before = '', last = ''] = this.words.slice(-2);
    if (this.postalCode !== null || this.words.length < 3 || !isPostalArea(last) || isDesignator(before)) return false;
    this.words.pop();
    this.postalCode = last;
    return true;
  }

  #takeZip(): boolean {
    if (!/^\d{4,5}$/.test(this.words.at(-1) ?? '')) return false;
    const text = this.words.slice(-5).join(' ');
    const zip = /(?<= )\d{5}(?: - \d{4})?$/.exec(text)?.[0].split(' ').length ?? 0;
    if (zip === 0) return false;
    const before = this.words.slice(0, -zip);
    const state = [1, 2]
      .map((n) => before.slice(-n).join(' '))
      .find((name) => stateCodes.has(name) || stateNames.has(name));
    if (state === undefined) return false;
    this.elsewhere = `${state} (United States)`;
    this.words = before;
    return true;
  }

  #takeRegion(): boolean {
    const longest = regionEnds.get(this.words.at(-1) ?? '') ?? 0;
    for (let n = Math.min(longest, this.words.length); n > 0; n--) {
      const name = this.words.slice(-n).join(' ');
      const isElsewhere = otherProvinces.has(name) || otherCountries.has(name);
      if (!isElsewhere && !ontario.has(name)) continue;
      // Scotland is a village in Brant, too.
      if (isElsewhere && this.#isMunicipality(this.words.slice(-n))) return false;
      if (isElsewhere) this.elsewhere ??= name;
      this.words.length -= n;
      return true;
    }
    return false;
  }

  /**
   * Takes a state without a ZIP code: only the last word, and only when it is not part of a municipality ("Dysart et
   * al").
   */
  #takeState(): boolean {
    const last = this.words.at(-1) ?? '';
    if (!stateCodes.has(last) || this.words.length < 3 || this.elsewhere !== null) return false;
    if (this.#endsInMunicipality(0)) return false;
    // "Simcoe Co" is the county, not Colorado.
    if (last === 'CO' && [1, 2, 3, 4].some((n) => isUpperTierName(this.words.slice(-1 - n, -1)))) return false;
    this.words.pop();
    if (last !== 'CA' || !this.#endsInMunicipality(0)) this.elsewhere = `${last} (United States)`;
    return true;
  }

  #endsInMunicipality(from: number): boolean {
    for (let at = Math.max(from, this.words.length - 6); at < this.words.length; at++) {
      if (this.#isMunicipality(this.words.slice(at))) return true;
    }
    return false;
  }

  /** Takes a whole postal code in the middle, which cannot be anything else, or a postal area that begins a part. */
  takePostalCodeInside(rest: AddressWords): AddressWords {
    if (this.postalCode !== null) return rest;
    for (let at = rest.words.length - 1; at > 0; at--) {
      for (const [parts, count] of lastParts(rest.words.slice(0, at + 1))) {
        this.postalCode = postalCode(parts);
        if (this.postalCode !== null) return without(rest, at + 1 - count, count);
      }
    }
    const area = rest.words.findIndex((word, at) => at > 0 && rest.begins[at] && isPostalArea(word));
    if (area < 0) return rest;
    this.postalCode = rest.words[area]!;
    return without(rest, area, 1);
  }
}

/** The last one, two or three words (with a hyphen) as one text that may be a postal code. */
function lastParts(words: readonly string[]): [text: string, count: number][] {
  const first = words.at(-1) ?? '';
  if (first.length !== 3 && first.length !== 6) return [];
  const [third, second] = [words.at(-3), words.at(-2)];
  const parts: [string, number][] = [[first, 1]];
  if (second?.length === 3 && first.length === 3) parts.push([second + first, 2]);
  if (third !== undefined && second === '-') parts.push([third + first, 3]);
  return parts;
}
