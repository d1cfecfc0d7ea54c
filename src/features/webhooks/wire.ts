/** Deliveries of webhooks, and the secrets that sign them: `/api/webhooks/…`. */
import { Type } from 'typebox';
import { closed, nullable, oneOf, reference, type Described, type Schema } from '../../schema.ts';
import { inJson } from '../../core/openapi/responses.ts';

export const MOST_DELIVERIES = 100;
export const DEFAULT_DELIVERIES = 20;

const eventTypes = ['batch.completed', 'batch.failed', 'batch.expired'] as const;
export type EventType = (typeof eventTypes)[number];

export const deliveryIdSchema = Type.String({
  pattern: '^evt_[0-9a-f]{32}$',
  description: 'Id of the event, which the receiver gets as `webhook-id` with each attempt.',
});

export const deliveriesQuerySchema = closed({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_DELIVERIES,
      default: DEFAULT_DELIVERIES,
      description: 'Most deliveries in the answer.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      pattern: '^evt_[0-9a-f]{32}$',
      description: '`nextCursor` of the page before; the deliveries after it follow.',
    }),
  ),
});
export type DeliveriesQuery = Described<typeof deliveriesQuerySchema>;

const time = (description: string) => Type.String({ format: 'date-time', description });

/** What the receiver gets. */
export const eventSchema = closed(
  {
    type: oneOf(eventTypes, { description: 'What happened.' }),
    timestamp: time('When it happened, UTC.'),
    data: reference<{ readonly id: string }>('Batch'),
  },
  { description: 'The end of a batch.' },
);
type EventBody = Described<typeof eventSchema>;

/** The component `Batch` where batches are left out: what was stored before is still sent. */
export const batchToldSchema = Type.Object(
  { id: Type.String({ pattern: '^bat_[0-9a-f]{32}$' }) },
  { description: 'A batch, as it was when it ended.' },
);

const attempt = closed(
  {
    at: time('When it began, UTC.'),
    ms: Type.Integer({ minimum: 0, description: 'Milliseconds until its answer began or it failed.' }),
    status: nullable(Type.Integer({ description: 'Status of the answer; null when there was none.' })),
    error: nullable(Type.String({ description: 'Why it failed; null after an answer from 200 to 299.' })),
  },
  { description: 'One request to the receiver.' },
);

export const deliverySchema = closed(
  {
    id: deliveryIdSchema,
    type: oneOf(eventTypes, { description: 'What happened.' }),
    batch: Type.String({ description: 'Id of the batch.' }),
    url: Type.String({ description: 'The receiver: `callback_url` of the batch.' }),
    state: oneOf(['pending', 'delivered', 'failed', 'disabled'], {
      description:
        '`pending`: attempts are left. `delivered`: the receiver answered 2xx. `failed`: all attempts are used up. `disabled`: the receiver had answered 410.',
    }),
    reason: nullable(Type.String({ description: 'Why the receiver is disabled; null unless the state says so.' })),
    createdAt: time('When the event was stored, UTC.'),
    nextAttemptAt: nullable(Type.String({ format: 'date-time', description: 'Null when there will be none.' })),
    attempts: Type.Array(attempt, { maxItems: 20, description: 'The last ones, oldest first.' }),
  },
  { description: 'An event and what became of it.' },
);

export const deliveriesSchema = closed(
  {
    deliveries: Type.Array(deliverySchema, { maxItems: MOST_DELIVERIES, description: 'Newest first.' }),
    nextCursor: nullable(Type.String({ description: 'For the next page; null when there is none.' })),
  },
  { description: 'Deliveries of the key.' },
);
export type DeliveriesBody = Described<typeof deliveriesSchema>;

export const webhookSecretSchema = closed(
  {
    secret: Type.String({
      pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
      description: 'What the webhooks of the key are signed with. It is shown this once.',
    }),
    previousEndsAt: nullable(
      Type.String({
        format: 'date-time',
        description: 'Until when the secrets before it sign too; null when there were none.',
      }),
    ),
  },
  { description: 'The new secret of the key.' },
);
export type WebhookSecretBody = Described<typeof webhookSecretSchema>;

// The requests that receivers get: the section `webhooks` of the OpenAPI document.

/** A batch as the document of the API describes it. */
interface ExampleBatch {
  readonly id: string;
  readonly createdAt: string;
  readonly endsAt: string | null;
  readonly expiresAt: string | null;
  readonly [member: string]: unknown;
}

const completed: ExampleBatch = {
  id: 'bat_019b3c5f7a002f6d8e1c4b7a9d05e3f1',
  state: 'completed',
  rows: { total: 1000, done: 1000, found: 981, notFound: 14, outside: 2, invalid: 3, failed: 0 },
  ratePerS: 7200.5,
  endsAt: '2026-11-22T14:03:10.120Z',
  snapshot: '20260101T000000Z-0123456789ab',
  detail: 'plain',
  layers: [],
  createdAt: '2026-11-22T14:03:09.802Z',
  expiresAt: '2026-11-29T14:03:10.120Z',
  error: null,
  ignoredColumns: [],
};

const rowsOfFailed = { total: 1000, done: 0, found: 0, notFound: 0, outside: 0, invalid: 0, failed: 0 };

const events: Readonly<
  Record<EventType, { operationId: string; summary: string; description: string; batch: ExampleBatch }>
> = {
  'batch.completed': {
    operationId: 'batchCompleted',
    summary: 'A batch is completed',
    description: 'Every row has its answer, be it a result or an error of that row.',
    batch: completed,
  },
  'batch.failed': {
    operationId: 'batchFailed',
    summary: 'A batch has failed',
    description: 'The batch as a whole could not be answered; `data.error` says why. The rows that were answered stay.',
    batch: {
      ...completed,
      state: 'failed',
      rows: rowsOfFailed,
      ratePerS: null,
      error: 'it was not continued: its key was revoked',
    },
  },
  'batch.expired': {
    operationId: 'batchExpired',
    summary: 'The results of a batch were deleted',
    description: 'The time for which they are kept is over.',
    batch: { ...completed, state: 'expired', ratePerS: null, endsAt: null },
  },
};

const header = (name: string, description: string, schema: Schema): Schema => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
});

const headers: readonly Schema[] = [
  header('webhook-id', 'Id of the event; the same with every attempt.', {
    type: 'string',
    pattern: '^evt_[0-9a-f]{32}$',
  }),
  header('webhook-timestamp', 'Time of the attempt, in seconds since 1970.', { type: 'string', pattern: '^[0-9]+$' }),
  header(
    'webhook-signature',
    'One or more signatures with a space between them, each `v1,` and HMAC-SHA256 in base64 (standardwebhooks.com).',
    { type: 'string' },
  ),
];

/** One request for each kind of event, to `callback_url` of its batch. */
export const webhooks: Schema = Object.fromEntries(
  Object.entries(events).map(([type, event]) => [type, { post: operationOf(type as EventType, event) }]),
);

function operationOf(type: EventType, { batch, ...described }: (typeof events)[EventType]): Schema {
  const timestamp = (type === 'batch.expired' ? batch.expiresAt : batch.endsAt) ?? completed.createdAt;
  const value: EventBody = { type, timestamp, data: batch };
  return {
    ...described,
    tags: ['webhooks'],
    security: [],
    parameters: headers,
    requestBody: {
      required: true,
      content: inJson('WebhookEvent', value),
    },
    responses: {
      '2XX': { description: 'Received. Any other answer, and none within 15 seconds, leads to another attempt.' },
      410: { description: 'The receiver wants nothing more: this URL gets nothing from this key for 30 days.' },
    },
  };
}
