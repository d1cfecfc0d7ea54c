import { direction } from './directions.ts';
import { isNumberedRoadType, streetType } from './street-types.ts';
import { tokenise } from './tokens.ts';
import { bareUnit, isPartOfHouse, isUnitLabel, unitPhrase, unitsToEnd } from './units.ts';

/** Unit, civic number and the words of the street. */
export interface CivicParts {
  readonly unit: string | null;
  readonly civic: number;
  /** A letter or a fraction. */
  readonly suffix: string | null;
  /** As written. */
  readonly streetWords: readonly string[];
}

export const civicPattern = /^0*(\d{1,6})([A-Z]?)$/;

/** Digits, with at most one letter. */
export function isCivicNumber(word: string): boolean {
  return civicPattern.test(word);
}

/** Reads a single civic number: "100", "100A", "100 1/2"; null for a range, a list or anything else. */
export function civicText(text: string): Pick<CivicParts, 'civic' | 'suffix'> | null {
  const parts = /^(\d{1,6}) ?([A-Z]|\d\/\d)?$/.exec(tokenise(text).join(' '));
  return parts && { civic: Number(parts[1]), suffix: parts[2] ?? null };
}

/** Reads the words before the municipality as a civic address; null when they do not begin with a civic number. */
export function parseCivic(words: readonly string[]): CivicParts | null {
  const leading = leadingUnit(words);
  let at = leading.length;
  const number = civicPattern.exec(words[at] ?? '');
  if (!number || Number(number[1]) === 0) return null;
  at++;
  let suffix = number[2] || null;
  if (suffix === null && /^\d\/\d$/.test(words[at] ?? '')) suffix = words[at++]!;
  const { unit, streetWords } = removeUnits(words.slice(at));
  if (!streetWords.some((word) => /[\p{L}\p{N}]/u.test(word))) return null;
  return { unit: unit ?? leading.unit, civic: Number(number[1]), suffix, streetWords };
}

/** "Apt 2, 210 …", "#5-123 …", "302-1055 …", "Suite 800-666 …". */
export function leadingUnit(words: readonly string[]): { unit: string | null; length: number } {
  const phrase = unitPhrase(words, 0);
  if (phrase) {
    const after = words[phrase.length];
    if (after === '-') return { unit: phrase.unit, length: phrase.length + 1 };
    if (after !== undefined && /^\d/.test(after)) return phrase;
  }
  const bare = bareUnit(words);
  if (bare !== null && leadsToNumber(words, bare.length)) return bare;
  const [label = '', hyphen, number = ''] = words;
  if (hyphen === '-' && isUnitLabel(label) && civicPattern.test(number)) return { unit: label, length: 2 };
  return { unit: null, length: 0 };
}

function leadsToNumber(words: readonly string[], length: number): boolean {
  return isRearAlone(words) || isBeforeNumber(words.slice(length), length > 1);
}

/** "Rear 300" may be a part of its own: "…, rue Rideau". */
function isRearAlone([part = '', number = '', ...more]: readonly string[]): boolean {
  return more.length === 0 && isPartOfHouse(part) && isCivicNumber(number);
}

/** A street follows the civic number: "Main 35" is one. @param isApart "B - 902 5 Sideroad" is number 902 of the 5th Sideroad. */
function isBeforeNumber([number = '', next, ...rest]: readonly string[], isApart: boolean): boolean {
  if (!civicPattern.test(number) || next === undefined) return false;
  const isRoadNumber = isApart && isNumberedRoadType(streetType(next) ?? '');
  return !isRoadNumber || (rest.length > 0 && direction(rest[0]!) === null);
}

/** Takes units behind the street: "… St Apt 1201", "… Rd #7", "… Ave Lower Level". */
export function removeUnits(words: readonly string[]): { unit: string | null; streetWords: string[] } {
  const streetWords: string[] = [];
  let unit: string | null = null;
  for (let at = 0; at < words.length;) {
    const phrase = at > 0 && !isRoadNumberSign(words, at) ? (unitsToEnd(words, at) ?? unitPhrase(words, at)) : null;
    if (phrase) {
      unit = phrase.unit;
      at += phrase.length;
    } else {
      streetWords.push(words[at++]!);
    }
  }
  return { unit, streetWords };
}

/** "Hwy #7", "County Rd #7": the sign belongs to the road. */
export function isRoadNumberSign(words: readonly string[], at: number): boolean {
  if (words[at] !== '#') return false;
  const type = streetType(words[at - 1] ?? '');
  // In "7 Hwy #1500" the road has its number already.
  if (type === null || !isNumberedRoadType(type) || /^\d/.test(words[at - 2] ?? '')) return false;
  return type !== 'RD' || at === 1 || /^(?:COUNTY|CTY|CNTY|CO|REGIONAL|REGION|REG)$/.test(words[at - 2] ?? '');
}
