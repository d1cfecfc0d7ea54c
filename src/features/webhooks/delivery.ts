/** What is sent of batches, and what is kept of each sending. Times are UTC, ISO 8601, unless a name ends with `Ms`. */
import type { EventType } from './wire.ts';
import { spreadMs } from '../../core/loop/loop.ts';
import { HOUR_MS, MINUTE_MS } from '../../messages/time.ts';

/**
 * `pending`: attempts are left. `delivered`: the receiver answered 2xx. `failed`: all attempts are used up. `disabled`: the receiver had
 * answered 410.
 */
export const deliveryStates = ['pending', 'delivered', 'failed', 'disabled'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export interface NewDelivery {
  readonly keyId: string;
  readonly url: string;
  readonly type: EventType;
  /** The same for the same event: a second delivery of that id is not stored. */
  readonly eventId: string;
  /** When the event happened. */
  readonly at: string;
  /** The batch, as `GET /api/batches/{id}` gives it. */
  readonly data: { readonly id: string };
}

/** One request to the receiver. */
export interface Attempt {
  readonly at: string;
  readonly ms: number;
  /** Null when there was no answer. */
  readonly status: number | null;
  /** Null after a success. */
  readonly error: string | null;
}

export interface Delivery {
  /** The id of the event, which the receiver gets as `webhook-id`. */
  readonly id: string;
  readonly type: EventType;
  readonly batch: string;
  readonly url: string;
  readonly state: DeliveryState;
  /** Why the receiver gets nothing more; null unless the state is `disabled`. */
  readonly reason: string | null;
  readonly createdAt: string;
  /** Null when there will be none. */
  readonly nextAttemptAt: string | null;
  /** The last ones, oldest first. */
  readonly attempts: readonly Attempt[];
}

/** Attempts that a delivery shows. */
export const MOST_ATTEMPTS_KEPT = 20;

/** A delivery that this process has to itself until `untilMs`. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly keyId: string;
  readonly url: string;
  readonly body: string;
  /** Attempts of this round, without the one that comes. */
  readonly tries: number;
  readonly lease: string;
  readonly untilMs: number;
}

/** What comes after an attempt. */
export type Consequence =
  | { readonly state: 'delivered' | 'failed' }
  | { readonly state: 'disabled'; readonly reason: string }
  | { readonly state: 'pending'; readonly nextMs: number };

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
