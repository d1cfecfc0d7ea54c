/** Words before a unit's value, in English and French. */
const designators: ReadonlySet<string> = new Set(
  (
    'APARTMENT APT APTS APPT APPARTEMENT APP SUITE STE UNIT UNITS UNITE BUREAU BUR ROOM RM FLOOR FL FLR LEVEL ETAGE NIVEAU LOCAL ' +
    'PENTHOUSE PH TOWNHOUSE TH BUILDING BLDG TOWER LOT TRAILER #'
  ).split(' '),
);

/**
 * Units without a number. Alone they are street names far more often, so they count only behind a designator or a
 * street type.
 */
const named = new Set('BSMT BASEMENT UPPER UPPR UPR LOWER LOWR LWR REAR MAIN GROUND PENTHOUSE PH'.split(' '));

/** Words that are a street's name as often: "Main", "Ground". They are units only where a street stands besides. */
const streetNames = new Set(['MAIN', 'GROUND']);

/** Designators that belong to the unit: "PH 2" and "PH2" are no unit 2. The register writes them so, but "2" for "Apt 2". */
const kept: Readonly<Record<string, string>> = { PH: 'PH', PENTHOUSE: 'PH', TH: 'TH', TOWNHOUSE: 'TH' };

/** The words before a unit's value. */
export const designatorWords: readonly string[] = [...designators].filter((word) => word !== '#');

const floors = new Set(['FLOOR', 'FL', 'FLR', 'LEVEL', 'ETAGE', 'NIVEAU']);

/** Words behind a named unit: "Lower Unit", "Basement Apt.". */
const dwellings = new Set(['UNIT', 'APT', 'APARTMENT', 'SUITE', 'APP', 'APPARTEMENT']);

const ordinalFloor = /^(\d{1,3})(?:ST|ND|RD|TH|E|ER)$/;

export function isDesignator(word: string): boolean {
  return designators.has(word);
}

interface UnitPhrase {
  readonly unit: string;
  /** Number of words in the phrase. */
  readonly length: number;
}

/**
 * Finds the unit phrase that begins at a word: "APT 2", "# 5", "SUITE # B", "UNIT BSMT", "2ND FLOOR", "LOWER LEVEL",
 * "TH25"; null when none does. `STE` is Sainte as well, so its value must hold a digit or be one letter.
 */
export function unitPhrase(words: readonly string[], at: number): UnitPhrase | null {
  const word = words[at] ?? '';
  if (designators.has(word)) return afterDesignator(words, at);
  const next = words[at + 1] ?? '';
  if (!isFloor(next)) return partOfHouse(word, next, words[at + 2]);
  if (named.has(word)) return { unit: word, length: 2 };
  const floor = ordinalFloor.exec(word);
  return floor ? { unit: `FL ${floor[1] ?? ''}`, length: 2 } : null;
}

/**
 * Finds a phrase of several units that begins at a word and ends the part: "UNITS 5 AND 6", "SUITE 100 - 200", "UNITS A B"; null when none does.
 * Before a civic number the second may be that number: "UNIT 5 - 12 MAIN ST".
 */
export function unitsToEnd(words: readonly string[], at: number): UnitPhrase | null {
  const first = designators.has(words[at] ?? '') ? afterDesignator(words, at) : null;
  const rest = first === null ? [] : words.slice(at + first.length);
  const isRest =
    rest.length > 0 && rest.every((word) => isUnitValue(word) || /^(?:-|TO|AND|ET|A|AU|SLASH)$/.test(word));
  return first !== null && isRest && isUnitValue(rest.at(-1)!) ? { unit: first.unit, length: words.length - at } : null;
}

/** "Lower Unit", "Basement Apt.", "sous-sol"; in "Lower Unit 5" the value counts. */
function partOfHouse(word: string, next: string, value = ''): UnitPhrase | null {
  if (word === 'SOUS' && next === 'SOL') return { unit: 'BSMT', length: 2 };
  return isPartOfHouse(word) && dwellings.has(next) && !isUnitValue(value) ? { unit: word, length: 2 } : null;
}

function afterDesignator(words: readonly string[], at: number): UnitPhrase | null {
  const word = words[at]!;
  let valueAt = at + 1;
  while (words[valueAt] === '#' || words[valueAt] === '-' || isNumberSign(words, valueAt)) valueAt++;
  const value = words[valueAt] ?? '';
  if (!isUnitValue(value) && (word === 'STE' || word === '#' || !named.has(value))) return null;
  const letter = letterBehind(words, valueAt);
  return { unit: unitOf(word, value + letter), length: valueAt + 1 + letter.length - at };
}

function unitOf(designator: string, value: string): string {
  // "Floor 2" is the second floor, not unit 2.
  if (isFloor(designator) && /^\d/.test(value)) return `FL ${value}`;
  const before = kept[designator] ?? '';
  return named.has(value) || value.startsWith(before) ? value : before + value;
}

/** "Suite 100-A" and "Suite 100 A" at the end, or before the civic number. */
function letterBehind(words: readonly string[], valueAt: number): string {
  const [letter = '', next = '0'] = [words[valueAt + 1], words[valueAt + 2]];
  return /^\d+$/.test(words[valueAt]!) && /^[A-Z]$/.test(letter) && /^[\d-]/.test(next) ? letter : '';
}

/** A unit without a designator in front of the civic number, without a sign: "B2 35 King St", "B 2 35 …", "LWR 35 …". */
export function bareUnit(words: readonly string[]): UnitPhrase | null {
  const [first = '', second = ''] = words;
  if (first < 'A') return null;
  if (/^[A-Z]\d{1,4}$/.test(first) || named.has(first)) return { unit: first, length: 1 };
  if (!/^[A-Z]$/.test(first)) return null;
  const at = second === '-' ? 2 : 1;
  const value = words[at] ?? '';
  return /^\d{1,4}$/.test(value) ? { unit: first + value, length: at + 1 } : null;
}

/** Says whether a word is a part of a house and nothing else: "REAR", "BSMT". */
export function isPartOfHouse(word: string): boolean {
  return named.has(word) && !streetNames.has(word);
}

function isNumberSign(words: readonly string[], at: number): boolean {
  return (words[at] === 'NO' || words[at] === 'NUMBER') && /^\d/.test(words[at + 1] ?? '');
}

function isFloor(word: string): boolean {
  return floors.has(word);
}

/** Holds a digit, or is one letter. */
function isUnitValue(word: string): boolean {
  return /^[A-Z0-9]{1,8}$/.test(word) && (/\d/.test(word) || word.length === 1);
}

/** Says whether a label may stand before a hyphen and the civic number: "302-1055", "PH2-15", "BSMT-12". */
export function isUnitLabel(word: string): boolean {
  return isUnitValue(word) || named.has(word);
}
