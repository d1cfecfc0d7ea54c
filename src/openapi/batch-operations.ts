/** The operations of batches. */
import type { Schema } from '../shared/schema.ts';
import {
  batchListQuerySchema,
  batchQuerySchema,
  resultsQuerySchema,
  resultTypes,
  type BatchBody,
} from '../shared/wire/batch.ts';
import { idempotencyKeySchema } from '../shared/wire/lookup-request.ts';
import { answersTo, commonHeaders, failures, header, parameter } from './responses.ts';

/** A batch that runs. */
const example: BatchBody = {
  id: 'bat_019b76da9c00f1d5c2a8e4b0397a1c6e',
  state: 'running',
  rows: { total: 100_000, done: 42_000, found: 40_911, notFound: 977, outside: 12, invalid: 100, failed: 0 },
  ratePerS: 7200.5,
  endsAt: '2026-01-01T12:00:14.055Z',
  snapshot: '20260101T000000Z-0123456789ab',
  detail: 'plain',
  createdAt: '2026-01-01T12:00:00.000Z',
  expiresAt: null,
  error: null,
};

const batchContent: Schema = {
  'application/json': {
    schema: { $ref: '#/components/schemas/Batch' },
    examples: { running: { summary: 'A batch that runs', value: example } },
  },
};

const idParameter: Schema = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Id of a batch of this key.',
  schema: { type: 'string' },
};

interface BatchOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Schema[];
  readonly responses: Schema;
}

const operation = ({ parameters = [], responses, ...operationId }: BatchOperation): Schema => ({
  ...operationId,
  tags: ['batches'],
  security: [{ key: [] }],
  parameters,
  responses: { ...failures('PAYMENT_REQUIRED'), ...responses },
});

const queryOf = (properties: Readonly<Record<string, unknown>>): Schema[] =>
  Object.entries(properties).map(([name, schema]) => parameter('query', name, schema as never));

const rowsBody = (description: string): Schema => ({ schema: { type: 'string', description } });

const createOperation: Schema = {
  ...operation({
    operationId: 'createBatch',
    summary: 'Look up a file of addresses or points',
    description:
      'Takes up to 1,000,000 rows or 256 MB, also compressed (`Content-Encoding: gzip`). The batch is on the disk before the answer. Rows come out as they went in, in the same order; a row that is not valid is a row with an error. Rows count against the allowance of the key for the day (UTC), not against the hourly limit; each row with a 200 is one lookup on the bill.',
    parameters: [
      ...queryOf(batchQuerySchema.properties),
      parameter('header', 'Idempotency-Key', idempotencyKeySchema),
      {
        name: 'Content-Encoding',
        in: 'header',
        description: 'gzip for a compressed file.',
        schema: { type: 'string', enum: ['gzip'] },
      },
    ],
    responses: {
      202: {
        description: 'The batch.',
        headers: {
          Location: { description: 'Where the batch is.', schema: { type: 'string', format: 'uri-reference' } },
          'Idempotent-Replayed': header('IdempotentReplayed'),
          ...commonHeaders,
        },
        content: batchContent,
      },
      ...answersTo('TOO_LARGE'),
    },
  }),
  requestBody: {
    required: true,
    content: {
      'text/csv': rowsBody(
        'A header with the column `address`, or `lat` and `lon`, and `custom_id` if there is one; then a record for each row.',
      ),
      'application/x-ndjson': rowsBody(
        'One JSON object per line, with `address`, or `lat` and `lon`, and `custom_id` if there is one.',
      ),
    },
  },
};

const listOperation = operation({
  operationId: 'listBatches',
  summary: 'List the batches of this key',
  description: 'The newest first. Costs nothing.',
  parameters: queryOf(batchListQuerySchema.properties),
  responses: {
    200: {
      description: 'A page of batches.',
      headers: commonHeaders,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Batches' } } },
    },
  },
});

const showOperation = operation({
  operationId: 'showBatch',
  summary: 'Show the state and the progress of a batch',
  description: 'Costs nothing.',
  parameters: [idParameter],
  responses: {
    200: { description: 'The batch.', headers: commonHeaders, content: batchContent },
    ...answersTo('NOT_FOUND'),
  },
});

const deleteOperation = operation({
  operationId: 'deleteBatch',
  summary: 'Delete a batch with its rows and results',
  description: 'At once, and in any state. A batch that runs is cancelled. Rows that were answered stay billed.',
  parameters: [idParameter],
  responses: { 204: { description: 'It is deleted.', headers: commonHeaders }, ...answersTo('NOT_FOUND') },
});

const cancelOperation = operation({
  operationId: 'cancelBatch',
  summary: 'Cancel a batch',
  description:
    'Rows that were answered stay, and are billed. Up to 1,000 rows at a time are under way; these are still answered, and then the batch is `cancelled`. The allowance gets the other rows back.',
  parameters: [idParameter],
  responses: {
    200: { description: 'The batch.', headers: commonHeaders, content: batchContent },
    ...answersTo('NOT_FOUND', 'CONFLICT'),
  },
});

const resultsOperation = operation({
  operationId: 'batchResults',
  summary: 'Read the results of a batch',
  description:
    'What is answered so far, without gaps, in the order of the rows. NDJSON and CSV can be read while the batch runs, and from a row on (`after`); GeoJSON and Parquet when it has ended. Each file has the statements of the licences inside.',
  parameters: [idParameter, ...queryOf(resultsQuerySchema.properties)],
  responses: {
    200: {
      description: 'The results. Each line of NDJSON has `row`, `custom_id`, `status`, `code`, `lookupId` and `body`.',
      headers: {
        'Batch-State': {
          description: 'State of the batch: more comes unless it has ended.',
          schema: { type: 'string' },
        },
        ...commonHeaders,
      },
      content: Object.fromEntries(
        Object.entries(resultTypes).map(([format, type]) => [
          type,
          { schema: format === 'geojson' ? { type: 'object' } : { type: 'string' } },
        ]),
      ),
    },
    ...answersTo('NOT_FOUND', 'CONFLICT', 'GONE'),
  },
});

/** Paths of the document. */
export const batchPaths: Schema = {
  '/api/batches': { post: createOperation, get: listOperation },
  '/api/batches/{id}': { get: showOperation, delete: deleteOperation },
  '/api/batches/{id}/results': { get: resultsOperation },
  '/api/batches/{id}/cancel': { post: cancelOperation },
};
