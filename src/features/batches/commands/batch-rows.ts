/** Follows the rows of a text of results while it arrives. */
import { Transient } from '../../../core/outbound/failures.ts';

/** Formats of which a broken download can go on at a row. */
export const rowFormats = ['ndjson', 'csv'] as const;
export type RowFormat = (typeof rowFormats)[number];

const LINE_END = 0x0a;
const QUOTE = 0x22;

/** Longest beginning of a row in which its number stands. */
const NUMBER_WITHIN = 32;

/**
 * Cuts a text of results into whole rows, and checks that no row is missing. The rows have their numbers in them, so a file of them says by itself
 * how far it is.
 */
export class RowFollower {
  /** Number of the last whole row. */
  row: number;
  readonly #format: RowFormat;
  #rest: Buffer = Buffer.alloc(0);
  /** Whether the next row is the first of a download, which a header may precede. */
  #isFirst = true;
  #hasHeader: boolean;

  /** `row`: the last one that is there already. */
  constructor(format: RowFormat, row = 0) {
    this.#format = format;
    this.row = row;
    this.#hasHeader = row > 0;
  }

  /** Gives the whole rows that have come. @throws Error when a row is missing or stands twice. */
  take(chunk: Uint8Array): Buffer {
    const text = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : Buffer.from(chunk);
    let wantedFrom = 0;
    let begin = 0;
    for (let end = this.#endOfRow(text, begin); end > 0; end = this.#endOfRow(text, begin)) {
      if (!this.#count(text.subarray(begin, end))) wantedFrom = end;
      begin = end;
    }
    this.#rest = text.subarray(begin);
    return text.subarray(wantedFrom, begin);
  }

  /** Forgets the beginning of a row: the next chunk begins one. */
  restart(): void {
    this.#rest = Buffer.alloc(0);
    this.#isFirst = true;
  }

  /** @throws Transient when the text ended in the middle of a row. */
  end(): void {
    if (this.#rest.length > 0) throw new Transient(`the results broke off in row ${this.row + 1}`);
  }

  /** Counts a row. False for a header that is there already. */
  #count(row: Buffer): boolean {
    const [number, isFirst] = [numberOf(row, this.#format), this.#isFirst];
    this.#isFirst = false;
    if (number === null && isFirst) {
      const isNew = !this.#hasHeader;
      this.#hasHeader = true;
      return isNew;
    }
    if (number !== this.row + 1) throw new Error(`the results have row ${number ?? '?'} after row ${this.row}`);
    this.row = number;
    return true;
  }

  /** Returns where the row ends that begins there; 0 when its end has not come yet. In CSV, a text in quotes may hold line ends. */
  #endOfRow(text: Buffer, begin: number): number {
    let isOpen = false;
    for (let from = begin; ;) {
      const end = text.indexOf(LINE_END, from) + 1;
      if (end === 0 || this.#format === 'ndjson') return end;
      if (quotesIn(text.subarray(from, end)) % 2 === 1) isOpen = !isOpen;
      if (!isOpen) return end;
      from = end;
    }
  }
}

function quotesIn(line: Buffer): number {
  let count = 0;
  for (let at = line.indexOf(QUOTE); at !== -1; at = line.indexOf(QUOTE, at + 1)) count++;
  return count;
}

/** Null for the header of CSV. */
function numberOf(row: Buffer, format: RowFormat): number | null {
  const beginning = row.toString('latin1', 0, NUMBER_WITHIN);
  const digits = (format === 'csv' ? /^(\d+),/ : /^\{"row":(\d+)[,}]/).exec(beginning)?.[1];
  if (digits !== undefined) return Number(digits);
  if (format === 'csv') return null;
  throw new Error('the results have a line that is no row');
}
