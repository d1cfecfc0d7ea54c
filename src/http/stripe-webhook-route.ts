import { raw, Router, type RequestHandler } from 'express';
import type Stripe from 'stripe';
import type { Logger } from 'winston';
import { readErrorReport, type ErrorReport } from '../accounts/billing/error-report.ts';
import type { Suspension } from '../accounts/billing/suspension.ts';
import type { Journal } from '../accounts/usage/journal.ts';
import { AppError } from '../shared/problems.ts';
import { BadKeyLimit } from './bad-key-limit.ts';
import { clientNetwork } from './client-network.ts';
import { onlyMethods } from './problem.ts';

export interface StripeWebhookContext {
  readonly stripe: Stripe;
  readonly secret: string;
  readonly journal: Pick<Journal, 'do'>;
  readonly suspension: Pick<Suspension, 'note' | 'check'>;
  readonly logger: Logger;
}

/** A notification only points to its report, and has less than 1 kB. */
const MAX_BODY_BYTES = 16 * 1024;

/** As the `stripe` package: an older signature may be one that somebody recorded. */
const TOLERANCE_S = 300;

const notANotification = new AppError(
  'BAD_REQUEST',
  'this is no notification: its signature or body is missing or old',
);

/** `POST /webhooks/stripe`: reports of the payment processor about events that it accepted and could not use. */
export function stripeWebhookRoute(context: StripeWebhookContext): Router {
  const { stripe, secret } = context;
  const badSignatures = new BadKeyLimit();
  const router = Router();
  router
    .route('/webhooks/stripe')
    // The signature covers the bytes as they arrived.
    .post(requireSignature(badSignatures), raw({ type: () => true, limit: MAX_BODY_BYTES }), async (req, res) => {
      const signature = req.get('stripe-signature');
      if (signature === undefined || !Buffer.isBuffer(req.body)) throw notANotification;
      const report = await readErrorReport(stripe, { body: req.body, signature, secret }).catch((cause: unknown) => {
        if (AppError.from(cause).code === 'BAD_REQUEST') badSignatures.note(clientNetwork(req.ip));
        throw cause;
      });
      // Taken before the answer, because the processor repeats a notification that gets no answer.
      if (report) await take(report, context);
      res.status(204).end();
    })
    .all(onlyMethods('POST'));
  return router;
}

/** Refuses, before a byte of the body is read, what cannot have a good signature, and clients that sent many bad ones. */
function requireSignature(badSignatures: BadKeyLimit): RequestHandler {
  return (req, _res, next) => {
    badSignatures.check(clientNetwork(req.ip));
    const signedS = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(req.get('stripe-signature') ?? '')?.[1] ?? NaN);
    // NaN is never within the tolerance.
    if (!(Math.abs(Date.now() / 1000 - signedS) <= TOLERANCE_S)) {
      badSignatures.note(clientNetwork(req.ip));
      throw notANotification;
    }
    next();
  };
}

async function take(report: ErrorReport, { journal, suspension, logger }: StripeWebhookContext): Promise<void> {
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
