import { problems } from '../shared/problems.ts';
import type { LookupBody } from '../shared/wire/lookup.ts';
import { cellOf, layerColumns } from './layer-columns.ts';
import type { RowWriter, WriterOptions } from './row-writer.ts';

type Cell = string | number | boolean | null;

/**
 * Makes a writer of CSV (RFC 4180, lines end with LF): a column for each layer, `key.member` for each member of an object. The last column,
 * `attribution`, has the statements for the whole file in its first row, and nothing in the others.
 */
export function csvWriter({ catalogue, attribution }: WriterOptions): RowWriter {
  const layers = layerColumns(catalogue);
  const statements = attribution.join(' ');
  const names = [
    ...['row', 'custom_id', 'status', 'code', 'address', 'lat', 'lon'],
    ...layers.map(({ name }) => name),
    'attribution',
  ];
  const blank: readonly Cell[] = layers.map(() => null);
  return {
    head: lineOf(names),
    foot: '',
    row({ row, customId, answer }) {
      const last = row === 1 ? statements : null;
      if (!answer.ok) {
        return lineOf([row, customId, problems[answer.code].status, answer.code, null, null, null, ...blank, last]);
      }
      const body = JSON.parse(answer.value) as LookupBody;
      const cells = layers.map((column) => cellOf(body.layers, column));
      return lineOf([row, customId, 200, null, body.address, body.lat, body.lon, ...cells, last]);
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
