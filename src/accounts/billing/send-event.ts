import Stripe from 'stripe';
import type { PendingEvent } from '../../shared/contract/journal.ts';

/** Result of sending one event. `unsent`: it certainly did not reach the processor; `unknown`: it may have. */
export type SendResult =
  | { readonly outcome: 'delivered' }
  | { readonly outcome: 'rejected'; readonly reason: string }
  | { readonly outcome: 'unsent' | 'unknown'; readonly reason: string; readonly retryAfterS: number | null };

type StripeError = InstanceType<typeof Stripe.errors.StripeError>;

/** No connection was made, so nothing was sent. */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/**
 * Statuses that say nothing against the event: wrong or limited credentials, two calls at once for one customer, too
 * many calls.
 */
const NOT_TAKEN = new Set([401, 403, 409, 429]);

/**
 * Sends one lookup as one meter event, under the lookup's id and at its time. Each event has its own call, because only
 * then does the processor say whether it accepted the event (docs/decisions/0023).
 */
export async function sendEvent(
  stripe: Stripe,
  eventName: string,
  { id, customer, atMs }: PendingEvent,
): Promise<SendResult> {
  try {
    await stripe.billing.meterEvents.create({
      event_name: eventName,
      identifier: id,
      timestamp: Math.floor(atMs / 1000),
      payload: { stripe_customer_id: customer, value: '1' },
    });
    return { outcome: 'delivered' };
  } catch (cause) {
    return resultOf(cause);
  }
}

function resultOf(cause: unknown): SendResult {
  if (!(cause instanceof Stripe.errors.StripeError)) throw cause;
  if (isDuplicate(cause)) return { outcome: 'delivered' };
  const { statusCode, message, type, headers } = cause;
  const reason = `${statusCode ?? type}: ${message}`;
  const outcome = outcomeOf(cause);
  if (outcome === 'rejected') return { outcome, reason };
  return { outcome, reason, retryAfterS: Number(headers?.['retry-after']) || null };
}

function outcomeOf({ statusCode, detail }: StripeError): 'rejected' | 'unsent' | 'unknown' {
  if (statusCode === undefined) {
    const code = (detail as NodeJS.ErrnoException | undefined)?.code ?? '';
    return NEVER_CONNECTED.has(code) ? 'unsent' : 'unknown';
  }
  if (NOT_TAKEN.has(statusCode)) return 'unsent';
  return statusCode >= 500 ? 'unknown' : 'rejected';
}

/**
 * Says whether the processor already has the event, from an attempt whose answer was lost. It answers 400, and only
 * version 2 of its API sends the code (langfuse#16292 took this for a failure, and its metering stopped).
 */
function isDuplicate({ statusCode, code, message }: StripeError): boolean {
  if (statusCode !== 400) return false;
  return code === 'duplicate_meter_event' || /event already exists with identifier/i.test(message);
}
