/** Records of CSV (RFC 4180), split as the service splits them (src/features/batches/rows/csv-records.ts, src/features/batches/rows/lines.ts). */

/** Most lines of a record, which has more than one when a quoted field holds line ends. */
const MOST_LINES = 100;

/**
 * Splits lines into records; null stands for a malformed one. Empty lines are none, nor are records whose fields are all blank. A malformed record costs
 * its first line only.
 * @param {readonly string[]} lines
 * @param {{ isLast: boolean, mostLetters?: number, separator?: string }} options isLast: no more lines come
 * @returns {{ records: (string[] | null)[], rest: string[] }} rest: lines of a record whose end has not come yet
 */
export function recordsOf(lines, { isLast, mostLetters = Infinity, separator = ',' }) {
  /** @type {(string[] | null)[]} */
  const records = [];
  for (let i = 0; i < lines.length;) {
    if (lines[i] === '') {
      i++;
      continue;
    }
    const { fields, state, count } = recordAt(lines, i, new CsvRecord(mostLetters, separator));
    if (state === 'open' && count < MOST_LINES && !isLast) return { records, rest: lines.slice(i) };
    const isWhole = state === 'whole';
    if (!isWhole) records.push(null);
    else if (!fields.every(isBlankText)) records.push(fields);
    i += isWhole ? count : 1;
  }
  return { records, rest: [] };
}

/**
 * Blanks, and what old programs put at the end of a file (Ctrl-Z, NUL).
 * @param {string} text
 */
// oxlint-disable-next-line no-control-regex -- these characters are meant.
export const isBlankText = (text) => /^[\s\0\x1a]*$/.test(text);

/**
 * @typedef {'whole' | 'open' | 'malformed'} RecordState open: a quoted field has no end. malformed: text follows its end, or the record is too long
 */

/**
 * @param {readonly string[]} lines
 * @param {number} start
 * @param {CsvRecord} record
 */
function recordAt(lines, start, record) {
  let count = 1;
  let state = record.add(lines[start] ?? '');
  while (state === 'open' && count < MOST_LINES && start + count < lines.length) {
    state = record.add(lines[start + count++] ?? '');
  }
  return { fields: record.fields, state, count };
}

/** A quoted field from behind its first quote, or from the beginning of a further line. Two quotes in it stand for one. */
const QUOTED = /([^"]*(?:""[^"]*)*)("[ \t]*)?/y;
const BEGIN = /[ \t]*"/y;

/** A record, line by line. */
class CsvRecord {
  /** @type {string[]} */
  fields = [];
  #most;
  #separator;
  #length = 0;
  /** What a quoted field holds up to now; null outside of one. @type {string | null} */
  #open = null;

  /**
   * @param {number} mostLetters
   * @param {string} separator
   */
  constructor(mostLetters, separator) {
    this.#most = mostLetters;
    this.#separator = separator;
  }

  /**
   * @param {string} line
   * @returns {RecordState}
   */
  add(line) {
    this.#length += line.length + 1;
    if (this.#length > this.#most + 1) return 'malformed';
    if (this.#open === null && !line.includes('"')) {
      this.fields.push(...line.split(this.#separator).map((field) => field.trim()));
      return 'whole';
    }
    if (this.#open !== null) this.#open += '\n';
    for (let at = 0; at <= line.length; at++) {
      at = this.#open === null && !isAt(BEGIN, line, at) ? this.#plain(line, at) : this.#quoted(line, at);
      if (this.#open !== null) return 'open';
      if (at < line.length && line[at] !== this.#separator) return 'malformed';
    }
    return 'whole';
  }

  /**
   * @param {string} line
   * @param {number} start
   * @returns {number} where the separator behind the field is, or the end of the line
   */
  #plain(line, start) {
    const comma = line.indexOf(this.#separator, start);
    const end = comma === -1 ? line.length : comma;
    this.fields.push(line.slice(start, end).trim());
    return end;
  }

  /**
   * @param {string} line
   * @param {number} start
   * @returns {number} where the field ends; at the end of the line it may stay open
   */
  #quoted(line, start) {
    QUOTED.lastIndex = this.#open === null ? BEGIN.lastIndex : start;
    const [, text = '', closing] = QUOTED.exec(line) ?? [];
    const whole = (this.#open ?? '') + text.replaceAll('""', '"');
    this.#open = closing === undefined ? whole : null;
    if (closing !== undefined) this.fields.push(whole.trim());
    return QUOTED.lastIndex;
  }
}

/**
 * @param {RegExp} pattern
 * @param {string} line
 * @param {number} at
 */
function isAt(pattern, line, at) {
  pattern.lastIndex = at;
  return pattern.test(line);
}

/** Ctrl-Z or NULs, with which some old programs end a file. */
// oxlint-disable-next-line no-control-regex -- these characters are meant.
const END_OF_OLD_FILES = /[\0\x1a]+$/;

/**
 * Splits a text that comes in pieces into lines (LF, CR LF or CR, also mixed), without Ctrl-Z or NULs at the end.
 * @returns {(piece: string | null) => string[]} null: the end
 */
export function lineSplitter() {
  let rest = '';
  // A CR at the end of a piece may be half of a CR LF.
  let held = '';
  return (piece) => {
    if (piece === null) {
      const last = rest.replace(END_OF_OLD_FILES, '');
      return last === '' ? [] : [last];
    }
    const text = held + piece;
    held = text.endsWith('\r') ? '\r' : '';
    const whole = held === '' ? text : text.slice(0, -1);
    const lines = whole.split(whole.includes('\r') ? /\r\n|\r|\n/ : '\n');
    lines[0] = rest + (lines[0] ?? '');
    rest = lines.pop() ?? '';
    return lines;
  };
}
