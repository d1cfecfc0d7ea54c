import type { ErrorObject } from 'ajv';
import { Router, type RequestHandler, type Response } from 'express';
import { quotaHeaders } from '../accounts/quota-state.ts';
import type { Quota } from '../accounts/quota.ts';
import { AppError } from '../shared/problems.ts';
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
import { authenticate, type KeyContext } from './lookup-route.ts';
import { onlyMethods } from './problem.ts';
import { requestContextOf } from './request-context.ts';
import { sendJson } from './send-json.ts';
import { validatorOf } from './validator.ts';

export interface WebhooksContext extends KeyContext {
  readonly webhooks: Pick<Webhooks, 'list' | 'find' | 'resend' | 'rotateSecret'>;
  /** Counts the requests of a key for these routes, apart from its lookups. */
  readonly webhookRequests: Quota;
}

/** Requests per hour and key: enough to page through what is kept, and few enough to bound what writes to the disk. */
const REQUESTS_PER_HOUR = 1000;

const isQuery = validatorOf<DeliveriesQuery>(deliveriesQuerySchema);
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
    if (!found)
      throw new AppError('BAD_REQUEST', 'the query parameter "cursor" is not one of this key, or too old: begin anew');
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
  const limit = 'limit' in query ? { limit: numberOf(query.limit) } : {};
  const asked: unknown = { ...query, ...limit };
  if (!isQuery(asked)) throw new AppError('BAD_REQUEST', describe(isQuery.errors?.[0]));
  return { limit: asked.limit ?? DEFAULT_DELIVERIES, after: asked.cursor ?? null };
}

/** Reads plain digits only: `Number` would also take "0x5" and " 5". */
function numberOf(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : value;
}

function describe(error: ErrorObject | undefined): string {
  if (error?.keyword === 'additionalProperties') {
    return `there is no query parameter "${String(error.params['additionalProperty'])}"`;
  }
  return error?.instancePath === '/limit'
    ? `the query parameter "limit" takes one whole number from 1 to ${MOST_DELIVERIES}`
    : 'the query parameter "cursor" takes the nextCursor of the page before';
}
