import { outcomes, totalOf, type OutcomeCounts, type RowOutcome } from '../rows/outcomes.ts';
import type { PlacesFile } from './places-file.ts';
import { duration } from './progress-display.ts';

export const outcomeWords: Readonly<Record<RowOutcome, string>> = {
  found: 'found',
  notFound: 'not found',
  outside: 'outside Ontario',
  invalid: 'invalid',
  failed: 'failed',
};

/** Returns the line about a finished file. `before`: the rows of an earlier run, which do not count for the speed. */
export function rowsSummary(
  counts: OutcomeCounts,
  { before, seconds }: { readonly before: OutcomeCounts; readonly seconds: number },
): string {
  const now = totalOf(counts) - totalOf(before);
  const told = outcomes.map((outcome) => `${number(counts[outcome])} ${outcomeWords[outcome]}`).join(', ');
  const earlier = now === totalOf(counts) ? '' : ` (${number(totalOf(before))} of them before the interrupt)`;
  const rate = seconds > 0 ? Math.round(now / seconds) : 0;
  return `${number(totalOf(counts))} rows${earlier}: ${told}. ${duration(seconds)}, ${number(rate)} rows per second`;
}

/** Returns the line about an interrupted file. */
export function stopHint(
  rows: number,
  { places, isResumable }: { readonly places: Pick<PlacesFile, 'rowCount'>; readonly isResumable: boolean },
): string {
  const total = places.rowCount === null ? '' : ` of ${number(places.rowCount)}`;
  const hint = isResumable
    ? 'to continue, run the same command with --resume'
    : 'a run from a file with --out FILE can be continued with --resume';
  return `interrupted after ${number(rows)}${total} rows: ${hint}`;
}

const number = (value: number): string => value.toLocaleString('en-CA');
