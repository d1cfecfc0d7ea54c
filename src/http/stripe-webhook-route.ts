import { raw, Router } from 'express';
import type Stripe from 'stripe';
import type { Logger } from 'winston';
import { readErrorReport } from '../accounts/billing/error-report.ts';
import type { Journal } from '../accounts/usage/journal.ts';
import { AppError } from '../shared/problems.ts';
import { onlyMethods } from './problem.ts';

export interface StripeWebhookContext {
  readonly stripe: Stripe;
  readonly secret: string;
  readonly journal: Pick<Journal, 'do'>;
  readonly logger: Logger;
}

const MAX_BODY_BYTES = 256 * 1024;

/** `POST /webhooks/stripe`: reports of the payment processor about events that it accepted and could not use. */
export function stripeWebhookRoute({ stripe, secret, journal, logger }: StripeWebhookContext): Router {
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
      if (report) {
        const { rejected, errorCount, summary } = report;
        // Settled before the answer, because the processor repeats a notification that gets no answer.
        await journal.do('settle', rejected);
        logger.error('the payment processor could not use events', { errorCount, named: rejected.length, summary });
      }
      res.status(204).end();
    })
    .all(onlyMethods('POST'));
  return router;
}
