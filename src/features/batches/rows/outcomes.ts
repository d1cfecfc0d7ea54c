import type { Outcome } from '../../../messages/outcome.ts';
import type { ProblemCode } from '../../../messages/problems.ts';

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
