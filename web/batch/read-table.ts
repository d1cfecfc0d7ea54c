/** The text of a file in the encodings that spreadsheets write, and the records of a table below its header, also where a title stands above that. */
import { isBlankText } from '../../src/features/batches/rows/columns.ts';
import { CsvRecord, MAX_LINE, MOST_LINES } from '../../src/features/batches/rows/csv-record.ts';
import { hasPlace, rolesIn, type Role } from './batch-columns.ts';

/** Besides UTF-8 what Excel writes: "Unicode text" with a mark, and CSV in the encoding of Windows. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
type Unread = { fault: 'notUtf8' | 'unreadable' };
/** `titles`: the lines above the header. */
export type Table = {
  separator: string;
  header: readonly string[];
  roles: readonly (Role | null)[];
  titles: readonly string[];
  encoding: Encoding;
};
type Records = readonly (string[] | null)[];

/** As spreadsheets write them. */
const SEPARATORS = [',', ';', '\t', '|'];

/** A header is looked for in so many records, and in as many lines as those can have on average. */
const HEAD_RECORDS = 20;
const HEAD_LINES = 400;

/** No text has these. */
// oxlint-disable-next-line no-control-regex -- these characters are meant.
const BINARY = /[\x01-\x08\x0e-\x19\x1b-\x1f]/;

/** Yields the text of a file, and null at its end; a fault where it cannot be read. Every byte is a letter of Windows-1252. */
export async function* piecesOf(file: Blob, encoding: Encoding): AsyncGenerator<string | null | Unread> {
  const reader = file
    .stream()
    .pipeThrough(new TextDecoderStream(encoding, { fatal: true }))
    .getReader();
  for (;;) {
    let result: ReadableStreamReadResult<string>;
    try {
      result = await reader.read();
    } catch (cause) {
      // Decoding throws a TypeError; a file that is gone has another error.
      yield { fault: cause instanceof TypeError ? 'notUtf8' : 'unreadable' };
      return;
    }
    if (!result.done && encoding === 'windows-1252' && BINARY.test(result.value)) {
      yield { fault: 'notUtf8' };
      return;
    }
    yield result.done ? null : result.value;
    if (result.done) return;
  }
}

/** Splits a table that comes in pieces of lines: gives the records below its header, and the table as soon as that is found. */
export function tableReader(encoding: Encoding, chosen?: readonly (Role | null)[]) {
  let table: Table | null = null;
  let rest: readonly string[] = [];
  return (lines: readonly string[], isLast: boolean): { table: Table | null; records: Records } => {
    const all = [...rest, ...lines];
    const { own, separator: named } = table ? { own: all, separator: null } : withoutPreamble(all);
    const head = table ? null : headOf(own, { isLast, named });
    if (head) {
      const { separator, header, titles } = head;
      table = { separator, header, roles: chosen ?? rolesIn(header), titles, encoding };
    }
    if (!table) {
      rest = all;
      return { table, records: [] };
    }
    const read = recordsOf(own, { isLast, separator: table.separator, mostLetters: MAX_LINE });
    rest = read.rest;
    return { table, records: head ? read.records.slice(head.titles.length + 1) : read.records };
  };
}

/** Yields the records of a table again, some at a time; null in place of them: it cannot be read any more. */
export async function* recordsAgain(file: Blob, { encoding, roles }: Table): AsyncGenerator<Records | null> {
  const split = lineSplitter();
  const read = tableReader(encoding, roles);
  for await (const piece of piecesOf(file, encoding)) {
    if (piece !== null && typeof piece !== 'string') {
      yield null;
      return;
    }
    yield read(split(piece), piece === null).records;
  }
}

/** Leaves out blank lines before the header, and the line with which a spreadsheet says what separates. */
function withoutPreamble(lines: readonly string[]): { own: readonly string[]; separator: string | null } {
  let named: string | null = null;
  for (const [i, line] of lines.entries()) {
    const separator = /^"?sep=(.)"?$/i.exec(line)?.[1];
    if (separator === undefined && !isBlankRecord(line)) return { own: lines.slice(i), separator: named };
    named = separator ?? named;
  }
  return { own: [], separator: named };
}

/** Nothing but blanks and what may separate columns. */
const isBlankRecord = (line: string) => line.split(/[,;|\t]/).every(isBlankText);

type Head = { separator: string; header: readonly string[]; titles: readonly string[] };

/**
 * Finds the header and what separates: the first record that names a place, above which there is nothing but shorter ones. Otherwise that separates
 * which gives the most records one width, and the first of these that is mostly filled is the header. Null: more lines are needed.
 */
function headOf(lines: readonly string[], { isLast, named }: { isLast: boolean; named: string | null }): Head | null {
  if (lines.length === 0) return null;
  const first = lines.slice(0, HEAD_LINES);
  const isAll = isLast || first.length === HEAD_LINES;
  const read = (named === null ? SEPARATORS : [named]).map((separator) => {
    const { records } = recordsOf(first, { isLast: isAll, separator, mostLetters: MAX_LINE });
    return { separator, records: records.slice(0, HEAD_RECORDS).map((record) => record ?? []) };
  });
  const isEnough = isAll || read.every(({ records }) => records.length === HEAD_RECORDS);
  for (let i = 0; i < (isEnough ? HEAD_RECORDS : 1); i++) {
    const known = read.find(({ records }) => isHeader(records, i));
    if (known) return headAt(known, i);
  }
  if (!isEnough) return null;
  const likely = read.map((one) => ({ one, ...mostOf(one.records) }));
  const [best] = likely.sort((a, b) => b.count - a.count);
  return best ? headAt(best.one, best.index) : null;
}

function headAt({ separator, records }: { separator: string; records: readonly string[][] }, index: number): Head {
  const titles = records.slice(0, index).map((record) => record.filter((field) => !isBlankText(field)).join(' '));
  return { separator, header: records[index] ?? [], titles };
}

const filled = (record: readonly string[]) => record.filter((field) => !isBlankText(field)).length;

function isHeader(records: readonly string[][], i: number) {
  const header = records[i];
  if (!header) return false;
  const found = rolesIn(header);
  if (!hasPlace(found)) return false;
  // No row holds the names of two columns.
  if (found.filter((role) => role !== null).length > 1) return true;
  return records.slice(0, i).every((above) => filled(above) <= 1 || filled(above) < filled(header));
}

/** How many records have the same number of fields, where that is more than one, and which of these is the first that is mostly filled. */
function mostOf(records: readonly string[][]) {
  const counts = new Map<number, number>();
  for (const { length } of records) if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1);
  const [[width, count] = [1, 0]] = [...counts].sort((a, b) => b[1] - a[1]);
  const index = records.findIndex((record) => record.length === width && filled(record) >= Math.max(2, width / 2));
  return { count, index: Math.max(0, index) };
}

/**
 * Splits lines into records; null stands for a malformed one. Empty lines are none, nor are records whose fields are all blank. A malformed record
 * costs its first line only. `isLast`: no more lines come.
 * Returns the rest too: lines of a record whose end has not come yet.
 */
function recordsOf(
  lines: readonly string[],
  { isLast, mostLetters = Infinity, separator = ',' }: { isLast: boolean; mostLetters?: number; separator?: string },
): { records: (string[] | null)[]; rest: string[] } {
  const records: (string[] | null)[] = [];
  for (let i = 0; i < lines.length;) {
    if (lines[i] === '') {
      i++;
      continue;
    }
    const { fields, state, count } = recordAt(lines, i, new CsvRecord({ mostLetters, separator }));
    if (state === 'open' && count < MOST_LINES && !isLast) return { records, rest: lines.slice(i) };
    const isWhole = state === 'whole';
    if (!isWhole) records.push(null);
    else if (!fields.every(isBlankText)) records.push(fields);
    i += isWhole ? count : 1;
  }
  return { records, rest: [] };
}

function recordAt(lines: readonly string[], start: number, record: CsvRecord) {
  let count = 1;
  let state = record.add(lines[start] ?? '');
  while (state === 'open' && count < MOST_LINES && start + count < lines.length) {
    state = record.add(lines[start + count++] ?? '');
  }
  return { fields: record.fields, state, count };
}

/** Ctrl-Z or NULs, with which some old programs end a file. */
// oxlint-disable-next-line no-control-regex -- these characters are meant.
const END_OF_OLD_FILES = /[\0\x1a]+$/;

/** Splits a text that comes in pieces, null at its end, into lines (LF, CR LF or CR, also mixed), without Ctrl-Z or NULs at the end. */
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
