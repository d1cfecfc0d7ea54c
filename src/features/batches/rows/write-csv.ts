import type { RowWriter, WriterOptions } from './row-writer.ts';
import { tableColumns, tableRow, type Cell } from './table.ts';

/**
 * Makes a writer of CSV (RFC 4180, lines end with LF): a column for each layer, `key.member` for each member of an object. The last column,
 * `attribution`, has the statements for the whole file in its first row, and nothing in the others.
 */
export function csvWriter(options: WriterOptions): RowWriter {
  const columns = tableColumns(options);
  const statements = options.attribution.join(' ');
  return {
    head: lineOf([...columns.map(({ name }) => name), 'attribution']),
    foot: '',
    row(answered) {
      const row = tableRow(answered);
      return lineOf([...columns.map(({ cell }) => cell(row)), row.row === 1 ? statements : null]);
    },
  };
}

function lineOf(cells: readonly Cell[]): string {
  return `${cells.map(written).join(',')}\n`;
}

/**
 * Beginnings that make a spreadsheet read a text as a formula (OWASP: CSV Injection, and ASVS 5 requirement 1.2.10), also in the full
 * width that some locales use.
 */
const FORMULA = /^[=+\-@\t\r\n\0\uff1d\uff0b\uff0d\uff20]/;

/** A text that a spreadsheet would run gets an apostrophe before it. Numbers are no texts: a longitude keeps its sign. */
function written(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
