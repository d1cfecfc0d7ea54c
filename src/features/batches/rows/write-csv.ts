import { csvLine } from '../../../core/files/csv-line.ts';
import type { RowWriter, WriterOptions } from './row-writer.ts';
import { tableColumns, tableRow } from './table.ts';

/**
 * Makes a writer of CSV (RFC 4180, lines end with LF): a column for each layer, `key.member` for each member of an object. The last column,
 * `attribution`, has the statements for the whole file in its first row, and nothing in the others.
 */
export function csvWriter(options: WriterOptions): RowWriter {
  const columns = tableColumns(options);
  const statements = options.attribution.join(' ');
  return {
    head: csvLine([...columns.map(({ name }) => name), 'attribution']),
    foot: '',
    row(answered) {
      const row = tableRow(answered);
      return csvLine([...columns.map(({ cell }) => cell(row)), row.row === 1 ? statements : null]);
    },
  };
}
