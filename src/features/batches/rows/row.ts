import type { AskedArea, AskedTask, Coordinate, LookupDetail } from '../../../messages/lookup.ts';
import type { Outcome } from '../../../messages/outcome.ts';
import type { ProblemCode } from '../../../messages/problems.ts';

/** The place that a row asks about. */
export type RowPlace =
  | { readonly kind: 'address'; readonly address: string }
  | ({ readonly kind: 'point' } & Coordinate)
  | ({ readonly kind: 'area' } & AskedArea);

/** A row of a file of places. */
export interface AskedRow {
  /** The row's own name from the file; null without one. */
  readonly customId: string | null;
  /** A failure when the row names no place. Such a row keeps its turn, so that rows in are rows out. */
  readonly place: Outcome<RowPlace>;
}

/** A row with its answer. */
export interface AnsweredRow {
  /** Its number in the file, from 1; a header is no row. */
  readonly row: number;
  readonly customId: string | null;
  /** The id of the lookup that is billed; a file that is looked up without a server has none. */
  readonly lookupId?: string | null;
  /** The body of the answer, finished JSON, or a failure. */
  readonly answer: Outcome<string>;
}

/** What is wanted of every row. */
export type RowDetail = Pick<LookupDetail, 'full' | 'further' | 'members'>;

/** Returns the lookup of a place. */
export function taskOf(place: RowPlace, detail: RowDetail): AskedTask {
  return { ...place, ...detail };
}

/** Outcomes of a row, in the order in which they are told. */
export const outcomes = ['found', 'notFound', 'outside', 'invalid', 'failed'] as const;
export type RowOutcome = (typeof outcomes)[number];

/** Number of rows by outcome. */
export type OutcomeCounts = Readonly<Record<RowOutcome, number>>;

export const noRows: OutcomeCounts = { found: 0, notFound: 0, outside: 0, invalid: 0, failed: 0 };

/** What is no failure of the service: all other codes are. */
const byCode: Partial<Readonly<Record<ProblemCode, RowOutcome>>> = {
  ADDRESS_NOT_FOUND: 'notFound',
  OUTSIDE_ONTARIO: 'outside',
  BAD_REQUEST: 'invalid',
};

/** Returns the outcome of a row from its answer. */
function outcomeOf(answer: Outcome<unknown>): RowOutcome {
  return answer.ok ? 'found' : (byCode[answer.code] ?? 'failed');
}

/** Returns the counts with one more row. */
export function counted(counts: OutcomeCounts, answer: Outcome<unknown>): OutcomeCounts {
  const outcome = outcomeOf(answer);
  return { ...counts, [outcome]: counts[outcome] + 1 };
}

export function totalOf(counts: OutcomeCounts): number {
  return outcomes.reduce((total, outcome) => total + counts[outcome], 0);
}
