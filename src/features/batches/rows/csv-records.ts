import { isBlankText } from './columns.ts';
import { CsvRecord, MOST_LINES } from './csv-record.ts';
import type { ReadOptions } from './lines.ts';

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
