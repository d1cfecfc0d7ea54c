/** Records of CSV (RFC 4180). The page imports this too. */

/** Longest line of a row with an address or a point, and longest record of CSV, in UTF-16 units. An address needs 300. */
export const MAX_LINE = 16_384;

/** Most lines of a record, which has more than one when a quoted field holds line ends. Bounds what a quote without an end costs. */
export const MOST_LINES = 100;

/** `open`: a quoted field has no end yet. `malformed`: text follows its end, or the record is too long. */
type RecordState = 'whole' | 'open' | 'malformed';

/** A quoted field from behind its first quote, or from the beginning of a further line. Two quotes in it stand for one. */
const QUOTED = /([^"]*(?:""[^"]*)*)("[ \t]*)?/y;
const BEGIN = /[ \t]*"/y;

/** A record, line by line. Each line is looked at once, whatever it holds. Blanks around a field are not part of it. */
export class CsvRecord {
  readonly fields: string[] = [];
  readonly #separator: string;
  readonly #mostLetters: number;
  #length = 0;
  /** What a quoted field holds up to now; null outside of one. */
  #open: string | null = null;

  /** `mostLetters`: of a record that is not malformed, in UTF-16 units. */
  constructor({ separator = ',', mostLetters = MAX_LINE } = {}) {
    this.#separator = separator;
    this.#mostLetters = mostLetters;
  }

  add(line: string): RecordState {
    this.#length += line.length + 1;
    if (this.#length > this.#mostLetters + 1) return 'malformed';
    if (this.#open === null && !line.includes('"')) {
      this.fields.push(...line.split(this.#separator).map((field) => field.trim()));
      return 'whole';
    }
    return this.#read(line);
  }

  #read(line: string): RecordState {
    if (this.#open !== null) this.#open += '\n';
    for (let at = 0; at <= line.length; at++) {
      at = this.#open === null && !isAt(BEGIN, line, at) ? this.#plain(line, at) : this.#quoted(line, at);
      if (this.#open !== null) return 'open';
      if (at < line.length && line[at] !== this.#separator) return 'malformed';
    }
    return 'whole';
  }

  /** Returns where the separator behind the field is, or the end of the line. */
  #plain(line: string, start: number): number {
    const comma = line.indexOf(this.#separator, start);
    const end = comma === -1 ? line.length : comma;
    this.fields.push(line.slice(start, end).trim());
    return end;
  }

  /** Returns where the field ends; at the end of the line it may stay open. */
  #quoted(line: string, start: number): number {
    QUOTED.lastIndex = this.#open === null ? BEGIN.lastIndex : start;
    const [, text, closing] = QUOTED.exec(line)!;
    const whole = (this.#open ?? '') + text!.replaceAll('""', '"');
    this.#open = closing === undefined ? whole : null;
    if (closing !== undefined) this.fields.push(whole.trim());
    return QUOTED.lastIndex;
  }
}

function isAt(pattern: RegExp, line: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(line);
}
