import { Router, type RequestHandler, type Response } from 'express';
import { quotaHeaders } from '../accounts/quota-state.ts';
import type { Quota } from '../accounts/quota.ts';
import { AppError, badRequest } from '../shared/problems.ts';
import {
  DEFAULT_DELIVERIES,
  deliveriesQuerySchema,
  deliveryIdSchema,
  MOST_DELIVERIES,
  type DeliveriesBody,
  type DeliveriesQuery,
  type WebhookSecretBody,
} from '../shared/wire/webhooks.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { requireNoQuery } from './lookup-request.ts';
import { authenticate, type KeyContext } from './key.ts';
import { onlyMethods } from './problem.ts';
import { requestContextOf } from './request-context.ts';
import { sendJson } from './send-json.ts';
import { readQuery } from './query.ts';
import { validatorOf } from './validator.ts';

export interface WebhooksContext extends KeyContext {
  readonly webhooks: Pick<Webhooks, 'list' | 'find' | 'resend' | 'rotateSecret'>;
  /** Counts the requests of a key for these routes, apart from its lookups. */
  readonly webhookRequests: Quota;
}

/** Requests per hour and key: enough to page through what is kept, and few enough to bound what writes to the disk. */
const REQUESTS_PER_HOUR = 1000;

const deliveriesQuery = {
  isValid: validatorOf<DeliveriesQuery>(deliveriesQuerySchema),
  takes: { limit: `one whole number from 1 to ${MOST_DELIVERIES}`, cursor: 'the nextCursor of the page before' },
  numbers: ['limit'],
};
const isDeliveryId = validatorOf<string>(deliveryIdSchema);

/** `/api/webhooks/…`: deliveries of the key's webhooks and the secret that signs them. Checks 401, then 403, then 402, 400 and 429. */
export function webhooksRoute(context: WebhooksContext): Router {
  const router = Router({ strict: true, caseSensitive: true });
  const key = authenticate(context);
  router.route('/api/webhooks/deliveries').get(key, list(context)).all(onlyMethods('GET', 'HEAD'));
  router.route('/api/webhooks/deliveries/:id/resend').post(key, resend(context)).all(onlyMethods('POST'));
  router.route('/api/webhooks/secret').post(key, rotate(context)).all(onlyMethods('POST'));
  return router;
}

function list(context: WebhooksContext): RequestHandler {
  return async (req, res) => {
    const { limit, after } = pageOf(req.query);
    await spend(context, res);
    // One more than asked for says whether there is another page.
    const found = context.webhooks.list(keyIdOf(res), { limit: limit + 1, after });
    if (!found) {
      throw badRequest('the query parameter "cursor" is not one of this key, or too old: begin anew', {
        param: 'cursor',
      });
    }
    const deliveries = found.slice(0, limit);
    const nextCursor = found.length > limit ? deliveries.at(-1)!.id : null;
    sendJson(res, JSON.stringify({ deliveries, nextCursor } satisfies DeliveriesBody));
  };
}

function resend(context: WebhooksContext): RequestHandler<{ id: string }> {
  return async (req, res) => {
    requireNoQuery(req.query);
    await spend(context, res);
    const { id } = req.params;
    const result = isDeliveryId(id) ? context.webhooks.resend(keyIdOf(res), id) : 'unknown';
    if (result === 'unknown') throw new AppError('NOT_FOUND', 'this key has no such delivery');
    if (result === 'under way')
      throw new AppError('CONFLICT', 'an attempt of this delivery is under way: ask again in a minute');
    sendJson(res, JSON.stringify(context.webhooks.find(keyIdOf(res), id)), 202);
  };
}

function rotate(context: WebhooksContext): RequestHandler {
  return async (req, res) => {
    requireNoQuery(req.query);
    await spend(context, res);
    const secret: WebhookSecretBody = await context.webhooks.rotateSecret(keyIdOf(res));
    sendJson(res, JSON.stringify(secret));
  };
}

/** @throws AppError RATE_LIMITED. */
async function spend({ webhookRequests }: WebhooksContext, res: Response): Promise<void> {
  const { state } = await webhookRequests.spend(keyIdOf(res), REQUESTS_PER_HOUR);
  res.set(quotaHeaders(state, 'webhooks'));
}

function keyIdOf(res: Response): string {
  return requestContextOf(res).key!.id;
}

/** @throws AppError BAD_REQUEST that names the error. */
function pageOf(query: object): { readonly limit: number; readonly after: string | null } {
  const { limit = DEFAULT_DELIVERIES, cursor = null } = readQuery(query, deliveriesQuery);
  return { limit, after: cursor };
}
