import type { Catalogue } from '../../../catalogue/catalogue.ts';
import type { MemberColumn } from '../../../core/http/answer-members.ts';
import type { AnsweredRow } from './row.ts';

/** Writes answered rows as one text: `head`, each row in turn, `foot`. A row's text depends on nothing but the row. */
export interface RowWriter {
  readonly head: string;
  readonly foot: string;
  readonly row: (answered: AnsweredRow) => string;
}

export interface WriterOptions {
  readonly catalogue: Pick<Catalogue, 'answers'>;
  /** Of members that features add to the answers; absent: none. */
  readonly memberColumns?: readonly MemberColumn[];
  /** Statements that the licences of the data require wherever its answers go (docs/decisions/0082). */
  readonly attribution: readonly string[];
  /** Whether the ids of lookups are told. */
  readonly withLookupIds: boolean;
}
