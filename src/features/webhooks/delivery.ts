/** What is sent of batches, and what is kept of each sending. Times are UTC, ISO 8601, unless a name ends with `Ms`. */
import type { EventType } from './wire.ts';

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
