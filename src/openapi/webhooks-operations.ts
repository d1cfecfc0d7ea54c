import type { Schema } from '../shared/schema.ts';
import { deliveriesQuerySchema, deliveryIdSchema } from '../shared/wire/webhooks.ts';
import { answered, failures, inJson, parameter } from './responses.ts';

const ID = 'evt_0f3a9c51d2e84b7690aa17c4be5d2f08';

const delivery = {
  ...{
    id: ID,
    type: 'batch.completed',
    batch: 'bat_019b3c5f7a002f6d8e1c4b7a9d05e3f1',
    url: 'https://hooks.example.com/land',
  },
  ...{
    state: 'pending',
    reason: null,
    createdAt: '2026-11-22T14:03:10.120Z',
    nextAttemptAt: '2026-11-22T14:08:31.902Z',
  },
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

const LIMIT = 'Costs nothing, and has an hourly limit of its own.';

export const deliveriesOperation: Schema = {
  operationId: 'webhookDeliveries',
  tags: ['webhooks'],
  summary: 'What became of the webhooks of the key',
  description: `Newest first, for 30 days. ${LIMIT}`,
  security: [{ key: [] }],
  parameters: Object.entries(deliveriesQuerySchema.properties).map(([name, schema]) =>
    parameter('query', name, schema),
  ),
  responses: {
    200: answered('The deliveries.', inJson('WebhookDeliveries', { deliveries: [delivery], nextCursor: null })),
    ...failures('PAYMENT_REQUIRED'),
  },
};

export const resendOperation: Schema = {
  operationId: 'resendWebhook',
  tags: ['webhooks'],
  summary: 'Send a webhook again',
  description: `At once, and with all its attempts anew, also when it was delivered. A receiver that had answered 410 is enabled again. ${LIMIT}`,
  security: [{ key: [] }],
  parameters: [{ ...parameter('path', 'id', deliveryIdSchema), required: true, example: ID }],
  responses: {
    202: answered('It is about to be sent.', inJson('WebhookDelivery', delivery)),
    ...failures('PAYMENT_REQUIRED', 'NOT_FOUND', 'CONFLICT'),
  },
};

export const webhookSecretOperation: Schema = {
  operationId: 'rotateWebhookSecret',
  tags: ['webhooks'],
  summary: 'Get a new secret for the signatures of webhooks',
  description: `The answer is the only place where it is shown. The secret before it signs too for 24 hours, so that each webhook has two signatures. ${LIMIT}`,
  security: [{ key: [] }],
  responses: {
    200: answered('The secret.', inJson('WebhookSecret', secret)),
    ...failures('PAYMENT_REQUIRED'),
  },
};
