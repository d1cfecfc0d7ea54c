import { type RequestHandler, Router } from 'express';
import { type ErrorReport, readErrorReport } from '../billing/error-report.ts';
import type { Billing } from '../open-accounts.ts';
import { processorEvent } from '../parts/events.ts';
import { badRequest } from '../../messages/problems.ts';
import { BadKeyLimit } from './bad-key-limit.ts';
import { clientNetwork } from './client-network.ts';
import { onlyMethods } from './problem.ts';
import { readBody } from './read-body.ts';
import type { Services } from './services.ts';
import { Slots } from './slots.ts';
import type Stripe from 'stripe';

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
