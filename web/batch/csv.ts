/** Records of CSV in a text that comes in pieces, split as the service splits them. */
import { isBlankText } from '../../src/features/batches/rows/columns.ts';
import { CsvRecord, MOST_LINES } from '../../src/features/batches/rows/csv-record.ts';

/**
 * Splits lines into records; null stands for a malformed one. Empty lines are none, nor are records whose fields are all blank. A malformed record
 * costs its first line only. `isLast`: no more lines come.
 * Returns the rest too: lines of a record whose end has not come yet.
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
