/** The numbers before a street: a civic number, a unit and its number, a range, or several addresses. */
import { fault } from './faults.ts';
import { joiningWords } from './noise.ts';
import { civicPattern, leadingUnit } from './parse-civic.ts';
import type { Among, Reading } from './reading.ts';

/** The number as it is read, and the place of the first word behind it. */
export interface NumberReading extends Pick<Reading, 'unit' | 'civic' | 'suffix' | 'faults' | 'among'> {
  readonly next: number;
}

/** Numbers of a range are at most so far apart, and on one side of the street. */
const WIDEST_RANGE = 50;

/** Digits and letter of the longest unit: "1204B". */
const LONGEST_UNIT = 5;

/**
 * Returns the ways to read the number that some words begin with: "100", "100A", "12 1/2", "302-1055", "845 to 847", "12, 14", "1 050".
 * Which of them count, the register decides.
 */
export function numberReadings(words: readonly string[]): NumberReading[] {
  const lead = leadingUnit(words);
  const isLabelled = lead.length > 0 && !isUnitBefore(words);
  const run = numbersInRow(words, isLabelled ? lead.length : 0);
  const [first, second] = run;
  if (first === undefined) return [];
  const own = { ...first, unit: lead.unit, faults: [], among: null };
  const thousands = inThousands(words, own);
  if (second === undefined) return [own, ...thousands];
  const readings: NumberReading[] = second.sign === 'list' ? [own, ...thousands] : [];
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
type Sign = 'hyphen' | 'word' | 'list';

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
  return [ofSecond, ...ends, ...swapped(first, second)];
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

/** "1 050" is one number. */
function inThousands(words: readonly string[], own: NumberReading): NumberReading[] {
  const [first, second] = [words[own.next - 1]!, words[own.next] ?? ''];
  if (!/^\d{3}$/.test(second) || own.suffix !== null || !/^\d{1,3}$/.test(first)) return [];
  return [{ ...own, civic: Number(first + second), next: own.next + 1 }];
}
