import { spreadMs } from '../../core/loop/loop.ts';
import { HOUR_MS, MINUTE_MS } from '../../messages/time.ts';
import type { Attempt, Consequence } from './delivery.ts';

/** Waits after the first and each further attempt: the schedule of the Standard Webhooks specification, 75 hours in all. */
export const retryDelaysMs: readonly number[] = [
  ...[5000, 5 * MINUTE_MS, 30 * MINUTE_MS],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];

/** Most that the wait differs from the schedule, as a share of it (docs/webhooks.md). */
const SPREAD = 0.1;

/** Longest wait that a receiver may ask for. */
export const LONGEST_WAIT_MS = 24 * HOUR_MS;

/** The receiver wants nothing more (RFC 9110, section 15.5.11). */
const GONE = 410;

export interface AttemptResult {
  readonly attempt: Attempt;
  /** Wait that the receiver asked for; null when it did not. */
  readonly retryAfterMs: number | null;
}

/**
 * Decides what comes after an attempt.
 * @param tries attempts of this round, without this one.
 */
export function consequenceOf(
  { attempt, retryAfterMs }: AttemptResult,
  { tries, delaysMs, nowMs }: { readonly tries: number; readonly delaysMs: readonly number[]; readonly nowMs: number },
): Consequence {
  if (attempt.error === null) return { state: 'delivered' };
  if (attempt.status === GONE) return { state: 'disabled', reason: `the receiver answered 410 at ${attempt.at}` };
  const delayMs = delaysMs[tries];
  if (delayMs === undefined) return { state: 'failed' };
  const askedMs = Math.min(retryAfterMs ?? 0, LONGEST_WAIT_MS);
  return { state: 'pending', nextMs: nowMs + Math.round(Math.max(spreadMs(delayMs, SPREAD), askedMs)) };
}
