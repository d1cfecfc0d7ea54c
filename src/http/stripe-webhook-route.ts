import { raw, Router } from 'express';
import type Stripe from 'stripe';
import type { Logger } from 'winston';
import { readErrorReport, type ErrorReport } from '../accounts/billing/error-report.ts';
import type { Suspension } from '../accounts/billing/suspension.ts';
import type { Journal } from '../accounts/usage/journal.ts';
import { AppError } from '../shared/problems.ts';
import { onlyMethods } from './problem.ts';

export interface StripeWebhookContext {
  readonly stripe: Stripe;
  readonly secret: string;
  readonly journal: Pick<Journal, 'do'>;
  readonly suspension: Pick<Suspension, 'note' | 'check'>;
  readonly logger: Logger;
}

const MAX_BODY_BYTES = 256 * 1024;

/** `POST /webhooks/stripe`: reports of the payment processor about events that it accepted and could not use. */
export function stripeWebhookRoute(context: StripeWebhookContext): Router {
  const { stripe, secret } = context;
  const router = Router();
  router
    .route('/webhooks/stripe')
    // The signature covers the bytes as they arrived.
    .post(raw({ type: () => true, limit: MAX_BODY_BYTES }), async (req, res) => {
      const signature = req.get('stripe-signature');
      if (signature === undefined || !Buffer.isBuffer(req.body)) {
        throw new AppError('BAD_REQUEST', 'this is not a notification: the signature or the body is missing');
      }
      const report = await readErrorReport(stripe, { body: req.body, signature, secret });
      // Taken before the answer, because the processor repeats a notification that gets no answer.
      if (report) await take(report, context);
      res.status(204).end();
    })
    .all(onlyMethods('POST'));
  return router;
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
