import { outcomes, totalOf, type OutcomeCounts, type RowOutcome } from '../rows/outcomes.ts';
import type { PlacesFile } from './places-file.ts';
import { duration } from '../../../core/terminal/progress-display.ts';
import { grouped } from '../../../words.ts';

export const outcomeWords: Readonly<Record<RowOutcome, string>> = {
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
