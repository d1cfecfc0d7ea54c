type Cell = string | number | boolean | null;

/** Writes cells as a line of CSV (RFC 4180, with LF). */
export function csvLine(cells: readonly Cell[]): string {
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
