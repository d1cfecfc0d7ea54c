import Stripe from 'stripe';
import type { PendingEvent } from '../../shared/contract/journal.ts';

/**
 * What became of one event. `unsent`: it certainly did not reach the processor; `unknown`: it may have.
 */
export type SendResult =
  | { readonly outcome: 'delivered' }
  | { readonly outcome: 'rejected'; readonly reason: string }
  | { readonly outcome: 'unsent' | 'unknown'; readonly reason: string; readonly retryAfterS: number | null };

type StripeError = InstanceType<typeof Stripe.errors.StripeError>;

/** No connection was made, so nothing was sent. */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Wrong or limited credentials, two calls at once for one customer, too many calls: nothing is wrong with the event. */
const NOT_TAKEN = new Set([401, 403, 409, 429]);

/**
 * Sends one lookup as one meter event, under the lookup's id and at its time. One call each, because only so does the processor
 * say of each event whether it was taken (docs/decisions/0023).
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
 * The processor has the event already, from an attempt whose answer was lost. It answers 400, with the code in version 2 of its
 * API only (langfuse#16292 took it for a failure, and metering stood still).
 */
function isDuplicate({ statusCode, code, message }: StripeError): boolean {
  if (statusCode !== 400) return false;
  return code === 'duplicate_meter_event' || /event already exists with identifier/i.test(message);
}
