import { SLASH, partsOf, slice, without, type AddressWords } from './address-words.ts';
import { direction } from './directions.ts';
import { fault } from './faults.ts';
import {
  endsAsBuilding,
  endsAsStreet,
  isCompany,
  isCountingWord,
  isNameInFront,
  isRemark,
  labelLength,
  mayBeNumberedName,
  joiningWords,
} from './noise.ts';
import { isCivicNumber, leadingUnit, removeUnits, type CivicParts, civicPattern } from './parse-civic.ts';
import type { Reading, Among } from './reading.ts';
import { parseStreet } from './street-name.ts';
import { isNumberedRoadType, leadingType, sameStreetType, streetType } from './street-types.ts';
import { isDesignator, isPartOfHouse, isUnitLabel, unitPhrase, unitsToEnd } from './units.ts';

/** Unit, civic number and street words in one of the ways that the words before the places allow. */
export type CivicReading = CivicParts & Pick<Reading, 'needsSuffix' | 'isTurned' | 'faults' | 'among' | 'isFirstOfTwo'>;

/**
 * Returns the ways to read the words before the places; none when no way accounts for all of them.
 * @param isPlace says whether words name a municipality, which is never a building's name.
 */
export function civicReadings(head: AddressWords, isPlace: (words: readonly string[]) => boolean): CivicReading[] {
  const found = frontsOf(apartFromDash(head), isPlace).flatMap((front) => {
    const readings = fromNumber(front.words);
    return front.isNamed || front.unit !== null || front.isFirstOfTwo
      ? readings.map((read) => withFront(read, front))
      : readings;
  });
  return found.length > 0 ? found : behindStreet(head);
}

interface Front extends Pick<Reading, 'isFirstOfTwo'> {
  /** From the civic number, or the unit before it, on. */
  readonly words: AddressWords;
  readonly unit: string | null;
  readonly isNamed: boolean;
}

function withFront(read: CivicReading, { unit, isNamed, isFirstOfTwo }: Front): CivicReading {
  const named = isNamed ? [fault('WORDS_LEFT_OUT', 'a name in front was left out')] : [];
  return { ...read, isFirstOfTwo, unit: read.unit ?? unit, faults: [...named, ...read.faults] };
}

/** "Circle K 4521 - 619 O'Connor Dr": behind a name, a dash divides as a comma does. */
function apartFromDash(head: AddressWords): AddressWords {
  const at = head.words.indexOf('-');
  if (at < 1) return head;
  const part = head.words.slice(head.begins.lastIndexOf(true, at), at);
  const isName = part.some((word) => /^\p{L}{2}/u.test(word)) && unitOf(part) === null && !startsWithNumber(part);
  return isName && isNameInFront(part) ? without(head, at, 1) : head;
}

/** Finds the civic number, and accounts for what stands before it: units and a building's name. */
function frontsOf(head: AddressWords, isPlace: (words: readonly string[]) => boolean): Front[] {
  const parts = partsOf(head);
  const fronts: Front[] = [];
  let unit: string | null = null;
  let isNamed = false;
  let at = 0;
  for (const [i, part] of parts.entries()) {
    const following = parts[i + 1] ?? [];
    if (isStart(part, following)) {
      const isFirstOfTwo = following.length > 1 && startsWithNumber(following) && mayBeNumberedName(part);
      const words = slice(head, at, isFirstOfTwo ? at + part.length : undefined);
      fronts.push({ words, unit, isNamed, isFirstOfTwo });
      if (!isFirstOfTwo || endsAsStreet(part)) return fronts;
      isNamed = true;
    } else {
      const own = unitOf(part);
      if (own !== null) unit = own;
      else if (isName(part, isPlace)) isNamed = true;
      else return [...fronts, ...behindBuilding(slice(head, at), part, unit)];
    }
    at += part.length;
  }
  return fronts;
}

function isName(part: readonly string[], isPlace: (words: readonly string[]) => boolean): boolean {
  return isCompany(part) || (isNameInFront(part) && !isPlace(part));
}

/** A number alone before another may be a unit, or one of several numbers; another unit alone is in front. */
function isStart(part: readonly string[], following: readonly string[]): boolean {
  if (isCompany(part) || !startsWithNumber(part)) return false;
  const isAlone = part.length - labelLength(part) === 1 && startsWithNumber(following);
  return !isAlone || isCivicNumber(part.at(-1)!);
}

/** "City Hall 100 Queen St W". */
function behindBuilding(words: AddressWords, part: readonly string[], unit: string | null): Front[] {
  const number = part.findIndex((word) => /^\d/.test(word));
  // "Station 430 Main St" may be the number of a station; "City Hall 100 Main St" is a name.
  const isThing = number === 1 && isCountingWord(part[0]!);
  const isNamed = number > 0 && !isThing && endsAsBuilding(part.slice(0, number));
  return isNamed ? [{ words: slice(words, number), unit, isNamed, isFirstOfTwo: false }] : [];
}

function startsWithNumber(part: readonly string[]): boolean {
  // "2e étage" is a floor, and no number 2E.
  if (unitPhrase(part, 0)?.length === part.length) return false;
  const words = part.slice(labelLength(part));
  return isCivicNumber(words[leadingUnit(words).length] ?? '');
}

/** A part that is a unit and nothing else: "APT 4", "353", "PH2", "UPPER". */
function unitOf(part: readonly string[]): string | null {
  const phrase = unitsToEnd(part, 0) ?? unitPhrase(part, 0);
  if (phrase?.length === part.length) return phrase.unit;
  return part.length === 1 && (isUnitLabel(part[0]!) || isPartOfHouse(part[0]!)) ? part[0]! : null;
}

/** Returns the ways to read words that begin with a unit or a civic number. */
function fromNumber(labelled: AddressWords): CivicReading[] {
  const words = slice(labelled, labelLength(labelled.words));
  const found: CivicReading[] = [];
  for (const number of numberReadings(words.words, words.begins)) {
    if (number.civic === 0) continue;
    const street = withLetterApart(slice(words, number.next));
    for (const read of streetWordsOf(street)) found.push(...withStreet(number, read));
  }
  return found;
}

/** "112-A, rue Main": the letter belongs to the number, although a comma follows it. */
function withLetterApart(street: AddressWords): AddressWords {
  const isApart = street.begins[1] === true && street.begins[0] !== true && /^[A-Z]$/.test(street.words[0]!);
  return isApart ? { ...street, begins: street.begins.map((begin, at) => begin && at !== 1) } : street;
}

function withStreet(number: NumberReading, { words, unit, faults }: StreetWords): CivicReading[] {
  const { civic, suffix, among } = number;
  const whole = {
    unit: unit ?? number.unit,
    civic,
    among,
    isFirstOfTwo: false,
    isTurned: false,
    faults: [...number.faults, ...faults],
  };
  const plain = {
    ...whole,
    suffix,
    needsSuffix: number.isInPieces === true || isMisreadDigit(suffix),
    streetWords: words,
  };
  const [letter = '', ...rest] = words;
  if (suffix !== null || rest.length === 0 || !/^[A-Z]$/.test(letter)) return [plain];
  // "123 A Main St". In "366 S Main St" the letter is the street's direction, unless the register has number 366S.
  const apart = fault('SUFFIX_APART', `${letter} read as the number's suffix`);
  const needsSuffix = direction(letter) !== null || isMisreadDigit(letter);
  return [plain, { ...whole, suffix: letter, needsSuffix, streetWords: rest, faults: [...whole.faults, apart] }];
}

/** "161O" may be 1610, which is another house: the letter counts where the register has it. */
function isMisreadDigit(suffix: string | null): boolean {
  return suffix === 'O' || suffix === 'I';
}

interface StreetWords {
  readonly words: readonly string[];
  readonly unit: string | null;
  readonly faults: Reading['faults'];
}

/** Returns the ways to read the words behind the civic number as a street and what belongs to the house. */
function streetWordsOf(rest: AddressWords): StreetWords[] {
  const [first = [], ...parts] = partsOf(rest);
  const removed = removeUnits(first);
  const street = { words: withoutRepeatedEnd(removed.streetWords), unit: removed.unit, faults: [] };
  const whole = parts.reduce<StreetWords | null>((read, part) => read && withPart(read, part), street);
  if (whole === null || !whole.words.some((word) => /[\p{L}\p{N}]/u.test(word))) return [];
  return [whole, ...withBareUnit(whole)];
}

/** Gives a further part of the address its role; null when it has none. */
function withPart(read: StreetWords, part: readonly string[]): StreetWords | null {
  if (part.join(' ') === read.words.join(' ') || isSameStreet(part, read.words)) return read;
  if (part.every((word) => direction(word) !== null || streetType(word) !== null)) {
    return { ...read, words: [...read.words, ...part] };
  }
  const unit = unitOf(part);
  if (unit !== null) return { ...read, unit: read.unit ?? unit };
  return isRemark(part)
    ? { ...read, faults: [fault('WORDS_LEFT_OUT', 'a remark behind the street was left out')] }
    : null;
}

/** "rue Main" and "Main St", as signs have a street in both languages. */
function isSameStreet(part: readonly string[], words: readonly string[]): boolean {
  const [one, other] = [parseStreet(part), parseStreet(words)];
  if (one?.type == null || other?.type == null || one.key !== other.key) return false;
  return sameStreetType(one.type, other.type) && one.direction === other.direction;
}

/** "12 Main St 405", "8290 Highway 27 Upper". The number behind "Road" is the road's. */
function withBareUnit({ words, unit, faults }: StreetWords): StreetWords[] {
  const [third = '', before = '', last = ''] = words.slice(-3);
  const type = streetType(before) ?? streetType(third);
  if (unit !== null || words.length < 3) return [];
  const isNumber = /^\d{1,5}$/.test(last) && type !== null && streetType(before) !== null && !isNumberedRoadType(type);
  return isNumber || isPartOfHouse(last) ? [{ words: words.slice(0, -1), unit: last, faults }] : [];
}

/** "Main St Street", "Main St St W", "Main St Main St". */
function withoutRepeatedEnd(words: readonly string[]): string[] {
  const again = words.findIndex((word, i) => {
    const type = i > 1 ? streetType(word) : null;
    return type !== null && type === streetType(words[i - 1]!);
  });
  if (again > 0) return words.filter((_, i) => i !== again);
  const half = words.length / 2;
  const isTwice = half >= 2 && words.every((word, i) => word === words[(i + half) % words.length]);
  return words.slice(0, isTwice ? half : undefined);
}

/** "rue Rideau 300", "London Rd, 453". */
function behindStreet(head: AddressWords): CivicReading[] {
  const { words, begins } = head;
  const last = words.at(-1) ?? '';
  const before = words.at(-2) ?? '';
  const streetWords = words.slice(0, -1);
  if (!isCivicNumber(last) || before === '' || isNumberOfThing(words, begins.at(-1) === true)) return [];
  if (mayBeRoadNumber(before, last, begins.at(-1) === true)) return [];
  if (streetWords.some((word) => /\d/.test(word))) return [];
  const behind = fault('CIVIC_BEHIND', 'the number stands behind the street');
  return fromNumber({ words: [last, ...streetWords], begins: [true, ...begins.slice(0, -1)] }).map((read) => ({
    ...read,
    isTurned: true,
    faults: [behind, ...read.faults],
  }));
}

/** "Hangar 5", "Unit 5". "rue Bay 29" and "chemin Collins Bay, 1000" are streets with their number, whatever they are called. */
function isNumberOfThing(words: readonly string[], isApart: boolean): boolean {
  const before = words.at(-2)!;
  const isFrench = leadingType(words[0]!)?.firm === true && (words.length === 3 || isApart);
  return !isFrench && (isDesignator(before) || isCountingWord(before));
}

/** "Highway 7", and "Simcoe Rd 88" without a comma. A road's number has at most three digits. */
function mayBeRoadNumber(before: string, last: string, isApart: boolean): boolean {
  const type = streetType(before);
  return type !== null && isNumberedRoadType(type) && last.length <= 3 && (type !== 'RD' || !isApart);
}

// The numbers before a street: a civic number, a unit and its number, a range, or several addresses.

/** The number as it is read, and the place of the first word behind it. */
interface NumberReading extends Pick<Reading, 'unit' | 'civic' | 'suffix' | 'faults' | 'among'> {
  readonly next: number;
  /** True when its digits stand apart, so that it counts only where the register has it. */
  readonly isInPieces?: boolean;
}

/** Numbers of a range are at most so far apart, and on one side of the street. */
const WIDEST_RANGE = 50;

/** Digits and letter of the longest unit: "1204B". */
const LONGEST_UNIT = 5;

/**
 * Returns the ways to read the number that some words begin with: "100", "100A", "12 1/2", "302-1055", "845 to 847", "12, 14", "1 050".
 * Which of them count, the register decides.
 */
export function numberReadings(words: readonly string[], begins: readonly boolean[] = []): NumberReading[] {
  const lead = leadingUnit(words);
  const isLabelled = lead.length > 0 && !isUnitBefore(words);
  const run = numbersInRow(words, isLabelled ? lead.length : 0);
  const [first, second] = run;
  if (first === undefined) return [];
  const own = { ...first, unit: lead.unit, faults: [], among: null };
  const thousands = inThousands(words, own);
  const inOne = thousands.length > 0 ? thousands : inPieces(words, begins, own);
  if (second === undefined) return [own, ...inOne];
  const readings = second.sign === 'list' ? [own, ...inOne] : [];
  for (let count = 2; count <= run.length; count++) {
    readings.push(...together(run.slice(0, count), isLabelled ? lead.unit : null));
  }
  return readings;
}

/** "302-1055", where the first may be a number of the street as well. */
function isUnitBefore([first = '', second]: readonly string[]): boolean {
  return civicPattern.test(first) && second === '-';
}

/** What stands before a number of several. A comma, a plus and a blank are the same. */
type Sign = 'hyphen' | 'slash' | 'word' | 'list';

/** A number of several in a row. */
interface InRow {
  readonly text: string;
  readonly civic: number;
  readonly suffix: string | null;
  readonly sign: Sign;
  /** Place of the word behind it. */
  readonly next: number;
}

/** More numbers than any address has. */
const MOST_IN_ROW = 6;

function numbersInRow(words: readonly string[], from: number): InRow[] {
  const run: InRow[] = [];
  for (let at = from; run.length < MOST_IN_ROW;) {
    const sign = signAt(words[at]);
    const number = numberAt(words, run.length > 0 && sign !== 'list' ? at + 1 : at, sign);
    // A further number has no zeros in front: "1 050" is one number. Behind the last one stands the street.
    if (number === null || (run.length > 0 && (number.text.startsWith('0') || number.next >= words.length))) break;
    run.push(number);
    at = number.next;
  }
  return run;
}

function numberAt(words: readonly string[], at: number, sign: Sign): InRow | null {
  const text = words[at] ?? '';
  const [, digits, letter = ''] = civicPattern.exec(text) ?? [];
  if (digits === undefined) return null;
  const isFraction = letter === '' && /^\d\/\d$/.test(words[at + 1] ?? '');
  const suffix = letter || (isFraction ? words[at + 1]! : null);
  return { text, civic: Number(digits), suffix, sign, next: at + (isFraction ? 2 : 1) };
}

function signAt(word = ''): Sign {
  if (word === '-') return 'hyphen';
  if (word === SLASH) return 'slash';
  return joiningWords.has(word) ? 'word' : 'list';
}

/** Two numbers or more as units, as each other's unit, or as ends of which the answer must hold for each. */
function together(run: readonly InRow[], unit: string | null): NumberReading[] {
  const [first, second] = [run[0]!, run[1]!];
  const { next } = run.at(-1)!;
  const numbers = run.map(({ civic, suffix }) => ({ civic, suffix }));
  const has = (sign: Sign): boolean => run.slice(1).some((one) => one.sign === sign);
  const isList = has('list');
  const among: Among = { numbers, isList, isRange: !isList && (has('word') || mayBeRange(run)) };
  const shown = run.map(({ text }) => text).join(', ');
  const ends = numbers.map((number): NumberReading => ({
    unit,
    ...number,
    next,
    faults: [fault('CIVIC_RANGE', `${shown} read as several numbers`)],
    among,
  }));
  const isNoUnit = second.sign === 'word' || unit !== null || first.text.length > LONGEST_UNIT;
  if (run.length > 2 || isNoUnit) return ends;
  const ofSecond = { unit: first.text, civic: second.civic, suffix: second.suffix, next, faults: [], among: null };
  if (second.sign === 'list') return [...ends, ofSecond];
  const half = second.sign === 'slash' ? withFraction(first, second) : [];
  return [ofSecond, ...ends, ...swapped(first, second), ...half];
}

/** "431/2" may be 43 1/2. */
function withFraction(first: InRow, { text, next }: InRow): NumberReading[] {
  const [civic, digit] = [Math.floor(first.civic / 10), first.civic % 10];
  return [{ unit: null, civic, suffix: `${digit}/${text}`, next, faults: [], among: null }];
}

/** "3482-7" may be number 3482 with unit 7. */
function swapped(first: InRow, second: InRow): NumberReading[] {
  if (first.civic <= second.civic) return [];
  const faults = [fault('UNIT_BEHIND', `${second.text} read as the unit of ${first.text}`)];
  return [{ unit: second.text, civic: first.civic, suffix: first.suffix, next: second.next, faults, among: null }];
}

/** A range goes up, on one side of the street, and not far. */
function mayBeRange([first, second, third]: readonly InRow[]): boolean {
  if (first === undefined || second === undefined || third !== undefined) return false;
  const apart = second.civic - first.civic;
  return apart > 0 && apart % 2 === 0 && apart <= WIDEST_RANGE;
}

/** "2 51", "1 0 1 7": the digits of one number, with blanks that a keyboard or a dictation puts between them. */
function inPieces(words: readonly string[], begins: readonly boolean[], own: NumberReading): NumberReading[] {
  let next = own.next;
  const isPiece = (at: number): boolean => /^\d{1,4}$/.test(words[at] ?? '') && begins[at] === false;
  while (isPiece(next) && next + 1 < words.length) next++;
  if (next === own.next || own.suffix !== null) return [];
  const pieces = words.slice(own.next - 1, next);
  if (!isCivicNumber(pieces.join(''))) return [];
  // Single digits are dictated. "2 51" is a unit and its number as well.
  return [{ ...own, civic: Number(pieces.join('')), next, isInPieces: pieces.some((piece) => piece.length > 1) }];
}

/** "1 050" is one number. */
function inThousands(words: readonly string[], own: NumberReading): NumberReading[] {
  const [first, second] = [words[own.next - 1]!, words[own.next] ?? ''];
  if (!/^\d{3}$/.test(second) || own.suffix !== null || !/^\d{1,3}$/.test(first)) return [];
  return [{ ...own, civic: Number(first + second), next: own.next + 1 }];
}
