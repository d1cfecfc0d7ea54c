import { type RequestHandler, Router } from 'express';
import type { Billing } from '../open-accounts.ts';
import { processorEvent } from '../parts/parts.ts';
import { badRequest, AppError } from '../../messages/problems.ts';
import { BadKeyLimit } from './refused-requests.ts';
import { clientNetwork } from '../settings/networks.ts';
import { onlyMethods } from './problem.ts';
import { readBody } from './read-body.ts';
import type { Services } from './services.ts';
import { Slots } from './slots.ts';
import type Stripe from 'stripe';
import type { Settlement } from '../../messages/meter-events.ts';
import { eventOf } from '../billing/send-event.ts';

/** A notification of a report has less than 1 kB, an event about an invoice has its lines. */
const MOST_BODY_BYTES = 256 * 1024;

/** As the `stripe` package: an older signature may be one that somebody recorded. */
const TOLERANCE_S = 300;

/** Until its signature is checked, a body may be anybody's. */
const UNCHECKED = {
  most: 64,
  mostEach: 16,
  messages: { each: 'this network sends too many notifications at once', all: 'too many notifications are being sent' },
};

const notANotification = badRequest('this is no notification: its signature or body is missing or old', {
  param: 'Stripe-Signature',
});

/**
 * `POST /webhooks/stripe`: reports of the payment processor about events that it accepted and could not use, and its events about sign-ups and
 * customers.
 * @param secret one, or several with commas between them.
 */
export function stripeWebhookRoute(services: Services, billing: Billing, secret: string): Router {
  const badSignatures = new BadKeyLimit();
  const unchecked = new Slots(UNCHECKED);
  const router = Router();
  router
    .route('/webhooks/stripe')
    // The signature covers the bytes as they arrived.
    .post(requireSignature(badSignatures), async (req, res) => {
      const signature = req.get('stripe-signature');
      const body = await unchecked.during(clientNetwork(req.ip), () =>
        readBody(req, res, { mostBytes: MOST_BODY_BYTES }),
      );
      if (signature === undefined || !body) throw notANotification;
      const told = readNotification(billing.stripe, { body, signature, secret });
      if (!told) {
        badSignatures.note(clientNetwork(req.ip));
        throw badRequest('the signature does not match', { param: 'Stripe-Signature' });
      }
      // Taken before the answer, because the processor repeats what gets no answer.
      if ('event' in told) await services.events.tell(processorEvent, told.event);
      else await takeReport(await readErrorReport(told.notification), services, billing);
      res.status(204).end();
    })
    .all(onlyMethods('POST'));
  return router;
}

/** Refuses, before a byte of the body is read, what cannot have a good signature, and clients that sent many bad ones. */
function requireSignature(badSignatures: BadKeyLimit): RequestHandler {
  return (req, _res, next) => {
    badSignatures.check(clientNetwork(req.ip));
    const header = req.get('stripe-signature') ?? '';
    const signedS = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(header)?.[1] ?? NaN);
    const hasSignature = /(?:^|,)v1=[\da-f]{64}(?:,|$)/.test(header);
    // NaN is never within the tolerance.
    if (!hasSignature || !(Math.abs(Date.now() / 1000 - signedS) <= TOLERANCE_S)) {
      badSignatures.note(clientNetwork(req.ip));
      throw notANotification;
    }
    next();
  };
}

async function takeReport(
  report: ErrorReport | null,
  { journal, logger }: Services,
  { suspension }: Billing,
): Promise<void> {
  if (!report) return;
  const { eventId, settlements, foreign, errorCount, summary } = report;
  const { isNew, unmatched } = await journal.do('takeReport', { eventId, settlements });
  if (!isNew) return;
  suspension.note();
  await suspension.check();
  logger.error('the payment processor could not use events', {
    eventId,
    errorCount,
    named: settlements.length,
    summary,
  });
  const unknown = [...foreign, ...unmatched];
  if (unknown.length === 0) return;
  logger.warn("the report names events that are not in this machine's journal", { eventId, unknown });
}

/** What the processor sends: the notification of an event of version 2, which only points to it, or an event of version 1 as it was. */
type Told = { readonly notification: Stripe.V2.Core.EventNotification } | { readonly event: Stripe.Event };

/**
 * Reads what the processor sent; null when nothing of ours signed it, or its signature is old.
 * @param secret one secret, or several with commas between them: each destination of the processor has its own.
 */
function readNotification(
  stripe: Stripe,
  { body, signature, secret }: { body: Buffer; signature: string; secret: string },
): Told | null {
  for (const one of secret.split(',')) {
    try {
      return read(stripe, body, signature, one.trim());
    } catch {
      // The next secret may have signed it.
    }
  }
  return null;
}

/** @throws Error when this secret did not sign it, or it is nothing of the processor. */
function read(stripe: Stripe, body: Buffer, signature: string, secret: string): Told {
  // The package has a function for each of the two, which refuses the other.
  const { object } = JSON.parse(body.toString()) as { readonly object?: string };
  if (object === 'event') return { event: stripe.webhooks.constructEvent(body, signature, secret) };
  return { notification: stripe.parseEventNotification(body, signature, secret) };
}

interface ErrorReport {
  /** The report's own id. */
  readonly eventId: string;
  /** Events that the processor accepted and then could not use, as far as its report names them. */
  readonly settlements: readonly Settlement[];
  /** Names of events in the report that this service did not give. */
  readonly foreign: readonly string[];
  /** Number of all events that the report is about. */
  readonly errorCount: number;
  readonly summary: string;
}

type ErrorsEvent = Stripe.Events.V1BillingMeterErrorReportTriggeredEvent;
type NoMeterEvent = Stripe.Events.V1BillingMeterNoMeterFoundEvent;
type ReportEvent = ErrorsEvent | NoMeterEvent;
type ErrorType = ReportEvent['data']['reason']['error_types'][number];
type SampleError = ErrorType['sample_errors'][number];

/** Outcome by the code of the error; any other code rejects the event. */
const OUTCOMES: Readonly<Record<string, Settlement['outcome']>> = {
  no_meter: 'again',
  archived_meter: 'again',
  timestamp_in_future: 'again',
  timestamp_too_far_in_past: 'too_old',
};

/**
 * Fetches the report that a notification of the processor points to.
 * @returns null for a notification about something else.
 * @throws AppError INTERNAL when the report cannot be fetched.
 */
async function readErrorReport(notification: Stripe.V2.Core.EventNotification): Promise<ErrorReport | null> {
  const isReport =
    notification.type === 'v1.billing.meter.error_report_triggered' ||
    notification.type === 'v1.billing.meter.no_meter_found';
  if (!isReport) return null;
  const { data } = await notification.fetchEvent().catch(unfetched);
  const errors = data.reason.error_types.flatMap((type) =>
    type.sample_errors.map((sample) => settlementIn(type, sample)),
  );
  return {
    eventId: notification.id,
    settlements: errors.filter((error) => typeof error !== 'string'),
    foreign: errors.filter((error) => typeof error === 'string'),
    errorCount: data.reason.error_count,
    summary: data.developer_message_summary,
  };
}

/**
 * Returns what to do with one event of a report, or the name of an event that is not ours. The types of the package have the idempotency
 * key as `identifier`; the example of the processor's guide has it as `idempotency_key`.
 */
function settlementIn({ code }: Pick<ErrorType, 'code'>, { error_message, request }: SampleError): Settlement | string {
  const { identifier, idempotency_key } = request as { identifier?: string; idempotency_key?: string };
  const name = identifier ?? idempotency_key ?? '';
  const event = eventOf(name);
  if (!event) return name;
  const isCustomerFault = code === 'meter_event_customer_not_found';
  return { ...event, outcome: OUTCOMES[code] ?? 'rejected', reason: `${code}: ${error_message}`, isCustomerFault };
}

function unfetched(cause: unknown): never {
  throw new AppError('INTERNAL', 'the report cannot be fetched: may STRIPE_API_KEY read events?', { cause });
}
