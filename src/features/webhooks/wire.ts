/** Deliveries of webhooks, and the secrets that sign them: `/api/webhooks/…`. */
import { Type } from 'typebox';
import { closed, nullable, oneOf, reference, type Described } from '../../schema.ts';

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
export type EventBody = Described<typeof eventSchema>;

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
