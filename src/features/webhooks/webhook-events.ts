/** The requests that receivers get: the section `webhooks` of the OpenAPI document. */
import type { Schema } from '../../schema.ts';
import type { EventBody, EventType } from './wire.ts';
import { inJson } from '../../core/openapi/responses.ts';

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

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly batch: ExampleBatch;
}

const events: Readonly<Record<EventType, Described>> = {
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

function operationOf(type: EventType, { batch, ...described }: Described): Schema {
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
