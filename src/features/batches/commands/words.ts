/** Rows and batches in words, for the command line. */
import { outcomes, totalOf, type OutcomeCounts, type RowOutcome } from '../rows/row.ts';
import type { PlacesFile } from './places-file.ts';
import { duration } from '../../../core/terminal/progress-display.ts';
import { grouped } from '../../../words.ts';
import type { BatchBody } from '../wire/batch.ts';

const outcomeWords: Readonly<Record<RowOutcome, string>> = {
  found: 'found',
  notFound: 'not found',
  outside: 'outside Ontario',
  invalid: 'invalid',
  failed: 'failed',
};

/** Most columns that are named. */
const MOST_TOLD = 20;

/** Returns the line about a finished file, and one about columns that were not used. `before`: the rows of an earlier run, which do not count for the speed. */
export function rowsSummary(
  counts: OutcomeCounts,
  { before, seconds, ignored = [] }: { before: OutcomeCounts; seconds: number; ignored?: readonly string[] },
): string {
  const now = totalOf(counts) - totalOf(before);
  const told = outcomes.map((outcome) => `${grouped(counts[outcome])} ${outcomeWords[outcome]}`).join(', ');
  const earlier = now === totalOf(counts) ? '' : ` (${grouped(totalOf(before))} of them before the interrupt)`;
  const rate = seconds > 0 ? Math.round(now / seconds) : 0;
  const unused = ignored.length === 0 ? '' : `Columns that were not used: ${ignored.slice(0, MOST_TOLD).join(', ')}\n`;
  return `${unused}${grouped(totalOf(counts))} rows${earlier}: ${told}. ${duration(seconds)}, ${grouped(rate)} rows per second`;
}

/** Returns the line about an interrupted file. */
export function stopHint(
  rows: number,
  { places, isResumable }: { readonly places: Pick<PlacesFile, 'rowCount'>; readonly isResumable: boolean },
): string {
  const total = places.rowCount === null ? '' : ` of ${grouped(places.rowCount)}`;
  const hint = isResumable
    ? 'to continue, run the same command with --resume'
    : 'a run from a file with --out FILE can be continued with --resume';
  return `interrupted after ${grouped(rows)}${total} rows: ${hint}`;
}

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
