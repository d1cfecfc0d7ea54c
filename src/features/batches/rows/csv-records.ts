import { isBlankText, type ReadOptions } from './columns.ts';
import { MAX_LINE } from './lines.ts';

/** Most lines of a record, which has more than one when a quoted field holds line ends. Bounds what a quote without an end costs. */
const MOST_LINES = 100;

/**
 * Yields the fields of each record of a CSV text (RFC 4180), null for a malformed one. A quoted field may hold line ends. A malformed
 * record costs its first line only: the next line is read as a record again, so that one stray quote does not swallow the rows after
 * it. Empty lines are no records, and neither are those whose fields are all blank, which spreadsheets leave behind. Blanks around a field are not part
 * of it.
 */
export async function* csvRecords(
  lines: AsyncIterable<string>,
  { onBlank }: Pick<ReadOptions, 'onBlank'> = {},
): AsyncGenerator<readonly string[] | null> {
  await using ahead = new LinesAhead(lines);
  while (ahead.at(0) !== undefined || (await ahead.read())) {
    const { fields, count } = ahead.at(0) === '' ? NO_RECORD : await readRecord(ahead);
    ahead.pass(fields === null ? 1 : count);
    if (count === 0 || (fields?.every(isBlankText) ?? false)) onBlank?.();
    else yield fields;
  }
}

/** Returns the fields of a record on one line; null when it is malformed. */
export function fieldsOfLine(line: string): readonly string[] | null {
  const record = new CsvRecord();
  return record.add(line) === 'whole' ? record.fields : null;
}

const NO_RECORD = { fields: null, count: 0 } as const;

/** Reads the record that begins in the next line. */
async function readRecord(
  ahead: LinesAhead,
): Promise<{ readonly fields: readonly string[] | null; readonly count: number }> {
  const record = new CsvRecord();
  let count = 1;
  let state = record.add(ahead.at(0)!);
  while (state === 'open' && count < MOST_LINES && (ahead.at(count) !== undefined || (await ahead.read()))) {
    state = record.add(ahead.at(count++)!);
  }
  return { fields: state === 'whole' ? record.fields : null, count };
}

/** Lines, some of which may be looked at before they are passed. */
class LinesAhead implements AsyncDisposable {
  readonly #source: AsyncIterator<string, unknown>;
  readonly #seen: string[] = [];

  constructor(lines: AsyncIterable<string>) {
    this.#source = lines[Symbol.asyncIterator]();
  }

  /** Returns the line after so many others, when it has been read. */
  at(count: number): string | undefined {
    return this.#seen[count];
  }

  /** Reads one more line. Returns false when there is none. */
  async read(): Promise<boolean> {
    const result = await this.#source.next();
    if (result.done !== true) this.#seen.push(result.value);
    return result.done !== true;
  }

  pass(count: number): void {
    this.#seen.splice(0, count);
  }

  /** Ends the reading, so that the source can be read by others. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#source.return?.();
  }
}

/** `open`: a quoted field has no end yet. `malformed`: text follows its end, or the record is too long. */
type RecordState = 'whole' | 'open' | 'malformed';

/** A quoted field from behind its first quote, or from the beginning of a further line. Two quotes in it stand for one. */
const QUOTED = /([^"]*(?:""[^"]*)*)("[ \t]*)?/y;
const BEGIN = /[ \t]*"/y;

/** A record, line by line. Each line is looked at once, whatever it holds. */
class CsvRecord {
  readonly fields: string[] = [];
  #length = 0;
  /** What a quoted field holds up to now; null outside of one. */
  #open: string | null = null;

  add(line: string): RecordState {
    this.#length += line.length + 1;
    if (this.#length > MAX_LINE + 1) return 'malformed';
    if (this.#open === null && !line.includes('"')) {
      this.fields.push(...line.split(',').map((field) => field.trim()));
      return 'whole';
    }
    return this.#read(line);
  }

  #read(line: string): RecordState {
    if (this.#open !== null) this.#open += '\n';
    for (let at = 0; at <= line.length; at++) {
      at = this.#open === null && !isAt(BEGIN, line, at) ? this.#plain(line, at) : this.#quoted(line, at);
      if (this.#open !== null) return 'open';
      if (at < line.length && line[at] !== ',') return 'malformed';
    }
    return 'whole';
  }

  /** Returns where the comma behind the field is, or the end of the line. */
  #plain(line: string, start: number): number {
    const comma = line.indexOf(',', start);
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
