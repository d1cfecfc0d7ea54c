/** Records of CSV (RFC 4180), split as the service splits them (src/features/batches/rows/csv-records.ts, src/features/batches/rows/lines.ts). */

/** Most lines of a record, which has more than one when a quoted field holds line ends. */
const MOST_LINES = 100;

/**
 * Splits lines into records; null stands for a malformed one. Empty lines are none, nor are records whose fields are all blank. A malformed record
 * costs its first line only. `isLast`: no more lines come.
 * @returns rest: lines of a record whose end has not come yet
 */
export function recordsOf(
  lines: readonly string[],
  { isLast, mostLetters = Infinity, separator = ',' }: { isLast: boolean; mostLetters?: number; separator?: string },
): { records: (string[] | null)[]; rest: string[] } {
  const records: (string[] | null)[] = [];
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

/** Blanks, and what old programs put at the end of a file (Ctrl-Z, NUL). */
// oxlint-disable-next-line no-control-regex -- these characters are meant.
export const isBlankText = (text: string) => /^[\s\0\x1a]*$/.test(text);

/** `open`: a quoted field has no end. `malformed`: text follows its end, or the record is too long. */
type RecordState = 'whole' | 'open' | 'malformed';

function recordAt(lines: readonly string[], start: number, record: CsvRecord) {
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
  fields: string[] = [];
  #most;
  #separator;
  #length = 0;
  /** What a quoted field holds up to now; null outside of one. */
  #open: string | null = null;

  constructor(mostLetters: number, separator: string) {
    this.#most = mostLetters;
    this.#separator = separator;
  }

  add(line: string): RecordState {
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
    const [, text = '', closing] = QUOTED.exec(line) ?? [];
    const whole = (this.#open ?? '') + text.replaceAll('""', '"');
    this.#open = closing === undefined ? whole : null;
    if (closing !== undefined) this.fields.push(whole.trim());
    return QUOTED.lastIndex;
  }
}

function isAt(pattern: RegExp, line: string, at: number) {
  pattern.lastIndex = at;
  return pattern.test(line);
}

/** Ctrl-Z or NULs, with which some old programs end a file. */
// oxlint-disable-next-line no-control-regex -- these characters are meant.
const END_OF_OLD_FILES = /[\0\x1a]+$/;

/**
 * Splits a text that comes in pieces into lines (LF, CR LF or CR, also mixed), without Ctrl-Z or NULs at the end.
 * @returns null: the end
 */
export function lineSplitter(): (piece: string | null) => string[] {
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
