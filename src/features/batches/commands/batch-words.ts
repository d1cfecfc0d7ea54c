/** Batches in words, for the command line. */
import { outcomes, totalOf, type OutcomeCounts } from '../rows/outcomes.ts';
import type { BatchBody } from '../wire/batch.ts';
import { outcomeWords } from './rows-summary.ts';
import { grouped } from '../../../words.ts';

export function countsOf({ rows }: Pick<BatchBody, 'rows'>): OutcomeCounts {
  const { found, notFound, outside, invalid, failed } = rows;
  return { found, notFound, outside, invalid, failed };
}

/** Returns the line about a batch that ended before all its rows were answered. */
export function endTold({ id, state, rows, error, expiresAt }: BatchBody): string {
  const told = `${grouped(rows.done)} of ${grouped(rows.total)} rows were answered`;
  switch (state) {
    case 'expired':
      return `the results of batch ${id} were deleted${expiresAt === null ? '' : ` at ${expiresAt}`}`;
    case 'failed':
      return `batch ${id} failed: ${error ?? 'no reason given'}; ${told}`;
    default:
      return `batch ${id} is ${state}; ${told}`;
  }
}

/** Returns the lines about one batch. */
export function batchTold(batch: BatchBody): string {
  const { id, state, rows, detail, snapshot, ratePerS, createdAt, endsAt, expiresAt, error } = batch;
  // A server of an earlier version does not tell.
  const { ignoredColumns = [] } = batch as Partial<BatchBody>;
  const counts = countsOf(batch);
  const told = outcomes.filter((one) => counts[one] > 0).map((one) => `${grouped(counts[one])} ${outcomeWords[one]}`);
  const lines: readonly (readonly [string, string | null])[] = [
    ['batch', id],
    ['state', state],
    ['rows', `${grouped(totalOf(counts))} of ${grouped(rows.total)} answered`],
    ['outcomes', told.length > 0 ? told.join(', ') : null],
    ['speed', ratePerS === null ? null : `${grouped(Math.round(ratePerS))} rows per second`],
    ['ends', endsAt === null ? null : `about ${endsAt}`],
    ['detail', detail],
    ['snapshot', snapshot],
    ['created', createdAt],
    ['expires', expiresAt],
    ['error', error],
    ['not used', ignoredColumns.length > 0 ? ignoredColumns.join(', ') : null],
  ];
  return lines.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(10)}${value}`])).join('\n');
}
