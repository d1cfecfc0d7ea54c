import type { Response } from 'express';
import { AppError, badRequest } from '../../messages/problems.ts';
import {
  DEFAULT_DELIVERIES,
  deliveriesQuerySchema,
  deliveriesSchema,
  deliveryIdSchema,
  deliverySchema,
  MOST_DELIVERIES,
  webhookSecretSchema,
  type DeliveriesBody,
  type DeliveriesQuery,
  type WebhookSecretBody,
} from './wire.ts';
import { counted } from '../../core/limits/limit-words.ts';
import { answered, inJson } from '../../core/openapi/responses.ts';
import { fromStore } from '../../core/http/key.ts';
import { asList, sendJson } from '../../core/http/send-answer.ts';
import { queryRules } from '../../core/http/query.ts';
import { requestContextOf } from '../../core/http/request-context.ts';
import { NOT_REPLACED, perHour, route } from '../../core/http/route.ts';
import { validatorOf } from '../../project/validators.ts';
import type { WebhookSecretStore } from '../../core/keys/key-store.ts';
import { webhooksPart } from './webhooks.ts';

/** Requests per hour and key: enough to page through what is kept, and few enough to bound what writes to the disk. */
const REQUESTS_PER_HOUR = 1000;

const isDeliveryId = validatorOf<string>(deliveryIdSchema);

const ID = 'evt_0f3a9c51d2e84b7690aa17c4be5d2f08';

const delivery = {
  id: ID,
  type: 'batch.completed',
  batch: 'bat_019b3c5f7a002f6d8e1c4b7a9d05e3f1',
  url: 'https://hooks.example.com/land',
  state: 'pending',
  reason: null,
  createdAt: '2026-11-22T14:03:10.120Z',
  nextAttemptAt: '2026-11-22T14:08:31.902Z',
  attempts: [
    { at: '2026-11-22T14:03:10.140Z', ms: 212, status: 503, error: 'the receiver answered 503' },
    { at: '2026-11-22T14:03:15.480Z', ms: 15_001, status: null, error: 'no answer in time' },
  ],
};

const secret = {
  // Of invented bytes.
  secret: `whsec_${Buffer.from('an invented secret, 32 bytes long').subarray(0, 32).toString('base64')}`,
  previousEndsAt: '2026-11-23T14:03:10.120Z',
};

const FREE = 'Costs nothing, and has an hourly limit of its own.';

/** Of requests about webhooks. */
export const requestLimit = {
  name: 'webhooks',
  may: (limit: number) => `ask about webhooks ${counted(limit, 'time')}`,
  policy: 'webhooks',
};

const limits = [perHour(requestLimit, REQUESTS_PER_HOUR)];

const listDeliveries = route<DeliveriesQuery>({
  method: 'get',
  path: '/api/webhooks/deliveries',
  key: {},
  query: queryRules(deliveriesQuerySchema, {
    takes: { limit: `one whole number from 1 to ${MOST_DELIVERIES}`, cursor: 'the nextCursor of the page before' },
    numbers: ['limit'],
  }),
  limits,
  takesPlace: asList,
  docs: {
    operationId: 'webhookDeliveries',
    tag: 'webhooks',
    summary: 'What became of the webhooks of the key',
    description: `Newest first, for 30 days. ${FREE}`,
    schemas: { WebhookDelivery: deliverySchema, WebhookDeliveries: deliveriesSchema },
    answers: {
      200: answered('The deliveries.', inJson('WebhookDeliveries', { deliveries: [delivery], nextCursor: null })),
    },
  },
  handle({ services, res, query: { limit = DEFAULT_DELIVERIES, cursor = null } }) {
    // One more than asked for says whether there is another page.
    const found = services.parts.of(webhooksPart).list(keyIdOf(res), { limit: limit + 1, after: cursor });
    if (!found) {
      throw badRequest('the query parameter "cursor" is not one of this key, or too old: begin anew', {
        param: 'cursor',
      });
    }
    const deliveries = found.slice(0, limit);
    const nextCursor = found.length > limit ? deliveries.at(-1)!.id : null;
    sendJson(res, JSON.stringify({ deliveries, nextCursor } satisfies DeliveriesBody));
  },
});

const resendDelivery = route({
  method: 'post',
  path: '/api/webhooks/deliveries/:id/resend',
  key: {},
  // A receiver that was switched off gets webhooks again.
  changes: true,
  limits,
  docs: {
    operationId: 'resendWebhook',
    tag: 'webhooks',
    summary: 'Send a webhook again',
    description: `At once, and with all its attempts anew, also when it was delivered. A receiver that had answered 410 is enabled again. ${FREE} ${NOT_REPLACED}`,
    path: { id: { ...deliveryIdSchema, example: ID } },
    answers: { 202: answered('It is about to be sent.', inJson('WebhookDelivery', delivery)) },
    failures: ['NOT_FOUND', 'CONFLICT'],
  },
  handle({ services, req, res }) {
    const { id } = req.params;
    const result = isDeliveryId(id) ? services.parts.of(webhooksPart).resend(keyIdOf(res), id) : 'unknown';
    if (result === 'unknown') throw new AppError('NOT_FOUND', 'this key has no such delivery');
    if (result === 'under way')
      throw new AppError('CONFLICT', 'an attempt of this delivery is under way: ask again in a minute');
    sendJson(res, JSON.stringify(services.parts.of(webhooksPart).find(keyIdOf(res), String(id))), 202);
  },
});

const rotateSecret = route({
  method: 'post',
  path: '/api/webhooks/secret',
  key: {},
  changes: true,
  limits,
  docs: {
    operationId: 'rotateWebhookSecret',
    tag: 'webhooks',
    summary: 'Get a new secret for the signatures of webhooks',
    description: `The answer is the only place where it is shown. The secret before it signs too for 24 hours, so that each webhook has two signatures. ${FREE} ${NOT_REPLACED}`,
    schemas: { WebhookSecret: webhookSecretSchema },
    answers: { 200: answered('The secret.', inJson('WebhookSecret', secret)) },
  },
  async handle({ services: { keys, parts }, res, asker }) {
    const asked: WebhookSecretStore = {
      changeWebhookSecrets: (keyId, change) => keys.changeWebhookSecrets(keyId, change, asker),
    };
    const made: WebhookSecretBody = await fromStore(parts.of(webhooksPart).rotateSecret(asker.keyId, asked));
    sendJson(res, JSON.stringify(made));
  },
});

/** `/api/webhooks/…`: deliveries of the key's webhooks and the secret that signs them. */
export const webhookRoutes = [listDeliveries, resendDelivery, rotateSecret];

function keyIdOf(res: Response): string {
  return requestContextOf(res).key!.id;
}
