import Stripe from 'stripe';
import type { PendingEvent, SentEvent } from '../../messages/meter-events.ts';
import { randomUUID } from 'node:crypto';

/**
 * Result of sending one event. `unsent`: the processor certainly does not have it; `unknown`: it may have it. `obstacle`: why the
 * processor refused it without a fault of the event: it has no active meter of our name, or our clock is ahead of its own.
 */
export type SendResult =
  | { readonly outcome: 'delivered' }
  | { readonly outcome: 'rejected' | 'too_old'; readonly reason: string; readonly isCustomerFault: boolean }
  | {
      readonly outcome: 'unsent' | 'unknown';
      readonly reason: string;
      readonly retryAfterS: number | null;
      readonly obstacle: 'meter' | 'clock' | null;
    };

type StripeError = InstanceType<typeof Stripe.errors.StripeError>;

/** No connection was made, so nothing was sent. */
const NEVER_CONNECTED = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Statuses that say nothing against the event: wrong or limited credentials, two calls at once for one customer, too
 * many calls.
 */
const NOT_TAKEN = new Set([401, 403, 409, 429]);

/**
 * Sends a lookup's meter event, at its time. Each event has its own call, because only then does the processor say
 * whether it accepted the event (docs/decisions/0023).
 */
export async function sendEvent(stripe: Stripe, eventName: string, event: PendingEvent): Promise<SendResult> {
  try {
    await stripe.billing.meterEvents.create(
      {
        event_name: eventName,
        identifier: identifierOf(event),
        timestamp: Math.floor(event.atMs / 1000),
        payload: { stripe_customer_id: event.customer, value: '1' },
      },
      { idempotencyKey: createIdempotencyKey(event) },
    );
    return { outcome: 'delivered' };
  } catch (cause) {
    return resultOf(cause);
  }
}

function resultOf(cause: unknown): SendResult {
  if (!(cause instanceof Stripe.errors.StripeError)) throw cause;
  const { statusCode, message, type, headers } = cause;
  const reason = `${statusCode ?? type}: ${message}`;
  const retryAfterS = Number(headers?.['retry-after']) || null;
  const failed = { reason, retryAfterS, obstacle: null } as const;
  if (statusCode === undefined) return { outcome: isUnreached(cause.detail) ? 'unsent' : 'unknown', ...failed };
  if (NOT_TAKEN.has(statusCode)) return { outcome: 'unsent', ...failed };
  if (statusCode >= 500) return { outcome: 'unknown', ...failed };
  return refusalOf(cause, reason);
}

/**
 * Reads a refusal from its message: version 1 of the API sends 400 for all of them, and only version 2 sends the codes. (An event that the
 * processor already has, from an attempt whose answer was lost, is delivered: langfuse#16292 took it for a failure.)
 */
function refusalOf({ code, message }: StripeError, reason: string): SendResult {
  const says = (codes: readonly string[], text: RegExp): boolean => codes.includes(code ?? '') || text.test(message);
  if (says(['duplicate_meter_event'], /event already exists with identifier/i)) return { outcome: 'delivered' };
  const passing = (obstacle: 'meter' | 'clock'): SendResult => {
    return { outcome: 'unsent', reason, retryAfterS: null, obstacle };
  };
  if (says(['no_meter', 'archived_meter'], /no active meter/i)) return passing('meter');
  if (says(['timestamp_in_future'], /timestamp.* in the future/i)) return passing('clock');
  if (says(['timestamp_too_far_in_past'], /timestamp.* in (?:the )?past/i)) {
    return { outcome: 'too_old', reason, isCustomerFault: false };
  }
  const isCustomerFault = says(['meter_event_customer_not_found'], /no such customer/i);
  return { outcome: 'rejected', reason, isCustomerFault };
}

/** The code of the system is the innermost cause. */
function isUnreached(detail: unknown): boolean {
  for (let cause = detail; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && NEVER_CONNECTED.has(String(cause.code))) return true;
  }
  return false;
}

const KEY = /^(lkp_[0-9a-f]{32})(?:-([1-9]\d{0,8}))?(?:\.[0-9a-f]{8})?$/;

/**
 * Returns the identifier of a lookup's event: the lookup's id, and for each time that it was given back for delivery a number after it. An
 * identifier that the processor accepted once would be a repetition.
 */
function identifierOf({ id, resends }: SentEvent): string {
  return resends === 0 ? id : `${id}-${resends}`;
}

/**
 * Makes the idempotency key of one attempt: the identifier and eight random digits. Each attempt has its own, because the processor would
 * answer a second request with the same key by the first one's answer, also when that was a failure.
 */
function createIdempotencyKey(event: SentEvent): string {
  return `${identifierOf(event)}.${randomUUID().slice(0, 8)}`;
}

/** Returns the event that an identifier or an idempotency key belongs to; null: it is not one of this service. */
export function eventOf(text: string): SentEvent | null {
  const [, id, resends = '0'] = KEY.exec(text) ?? [];
  return id === undefined ? null : { id, resends: Number(resends) };
}
