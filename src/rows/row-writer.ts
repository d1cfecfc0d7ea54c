import type { AnsweredRow } from './row.ts';

/** Writes answered rows as one text: `head`, each row in turn, `foot`. A row's text depends on nothing but the row. */
export interface RowWriter {
  readonly head: string;
  readonly foot: string;
  readonly row: (answered: AnsweredRow) => string;
}
