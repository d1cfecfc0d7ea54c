/** The rows of a chunk as they are stored: NDJSON. */
import type { AskedRow } from '../rows/row.ts';
import { ROWS_PER_CHUNK } from './job.ts';

export function linesOf(rows: readonly AskedRow[]): string {
  if (rows.length > ROWS_PER_CHUNK) throw new Error(`a chunk holds ${ROWS_PER_CHUNK} rows, not ${rows.length}`);
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

export function rowsOfLines(text: string): readonly AskedRow[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as AskedRow);
}
