/** The operations of batches. */
import type { Schema } from '../shared/schema.ts';
import type { AreaRequest } from '../shared/wire/area-lookup.ts';
import {
  answeredRowSchema,
  batchFeaturesSchema,
  batchInputRowSchema,
  batchRowSchema,
  failedRowSchema,
  type BatchRow,
} from '../shared/wire/batch-rows.ts';
import type { LookupBody } from '../shared/wire/lookup.ts';
import {
  batchesSchema,
  batchListQuerySchema,
  batchQuerySchema,
  batchSchema,
  resultsQuerySchema,
  resultTypes,
  type BatchBody,
} from '../shared/wire/batch.ts';
import { idempotencyKeySchema } from '../shared/wire/lookup-request.ts';
import { answersTo, commonHeaders, failures, header, parameter } from './responses.ts';

/** Answers of the service on its bundled sample (`docs/api-examples.json`). */
export interface BatchExamples {
  readonly area: AreaRequest;
  readonly lookup: LookupBody;
}

/** A batch that runs. */
const example: BatchBody = {
  id: 'bat_019b76da9c00f1d5c2a8e4b0397a1c6e',
  state: 'running',
  rows: { total: 100_000, done: 42_000, found: 40_911, notFound: 977, outside: 12, invalid: 100, failed: 0 },
  ratePerS: 7200.5,
  endsAt: '2026-01-01T12:00:14.055Z',
  snapshot: '20260101T000000Z-0123456789ab',
  detail: 'plain',
  layers: [],
  createdAt: '2026-01-01T12:00:00.000Z',
  expiresAt: null,
  error: null,
  ignoredColumns: ['owner'],
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

/** Text in which each line or record is a value of a component. */
const rowsOf = (contentMediaType: string, component: string, description: string): Schema => ({
  ...{ type: 'string', contentMediaType, description },
  contentSchema: { type: 'array', items: { $ref: `#/components/schemas/${component}` } },
});

/** A file, which clients that are made from the document send as it is: otherwise some of them would write it as a text of JSON. */
const fileOf: typeof rowsOf = (...rows) => ({ ...rowsOf(...rows), format: 'binary' });

const sample = (summary: string, value: unknown): Schema => ({ sample: { summary, value } });

const createOperation = ({ area }: BatchExamples): Schema => ({
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
      'text/csv': {
        schema: fileOf(
          'text/csv',
          'BatchInputRow',
          'A header with the column `address`, or `lat` and `lon`, and `custom_id` if there is one; then a record for each row.',
        ),
        examples: sample(
          'Addresses',
          'custom_id,address\na,"13 Marsh Rd, Fiddlehead Corners, ON"\nb,"31 Main St E, Sampleton, ON"\n',
        ),
      },
      'application/x-ndjson': {
        schema: fileOf('application/x-ndjson', 'BatchInputRow', 'A JSON object on each line.'),
        examples: sample(
          'An address, a point and an area',
          ndjson([
            { custom_id: 'a', address: '13 Marsh Rd, Fiddlehead Corners, ON' },
            { custom_id: 'b', lat: 44.2997, lon: -79.3172 },
            { custom_id: 'c', ...area },
          ]),
        ),
      },
    },
  },
});

const listOperation = operation({
  operationId: 'listBatches',
  summary: 'List the batches of this key',
  description: 'The newest first. Costs nothing.',
  parameters: queryOf(batchListQuerySchema.properties),
  responses: {
    200: {
      description: 'A page of batches.',
      headers: commonHeaders,
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Batches' },
          examples: sample('One batch', { batches: [example], nextCursor: null }),
        },
      },
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

const resultsOperation = (examples: BatchExamples): Schema =>
  operation({
    operationId: 'batchResults',
    summary: 'Read the results of a batch',
    description:
      'What is answered so far, without gaps, in the order of the rows. NDJSON and CSV can be read while the batch runs, and from a row on (`after`); GeoJSON and Parquet when it has ended. Each file has the statements of the licences inside.',
    parameters: [idParameter, ...queryOf(resultsQuerySchema.properties)],
    responses: {
      200: {
        description: 'The results. Each line of NDJSON is a `BatchRow`.',
        headers: {
          'Batch-State': {
            description: 'State of the batch: more comes unless it has ended.',
            schema: { type: 'string' },
          },
          ...commonHeaders,
        },
        content: Object.fromEntries(
          Object.entries(resultTypes).map(([format, type]) => [type, resultContent(examples)[format as ResultFormat]]),
        ),
      },
      ...answersTo('NOT_FOUND', 'CONFLICT', 'GONE'),
    },
  });

type ResultFormat = keyof typeof resultTypes;

function resultContent({ lookup }: BatchExamples): Readonly<Record<ResultFormat, Schema>> {
  const rows: readonly BatchRow[] = [
    {
      ...{ row: 1, custom_id: 'a', status: 200, code: null, lookupId: 'lkp_019b76da9c00f1d5c2a8e4b0397a1c6e' },
      ...{ body: lookup, attribution: ['Contains information licensed under …'] },
    },
    {
      ...{ row: 2, custom_id: 'b', status: 404, code: 'ADDRESS_NOT_FOUND', lookupId: null },
      body: { detail: 'The street is not known there.', reason: 'STREET_NOT_FOUND', suggestions: [] },
    },
  ];
  return {
    ndjson: {
      schema: rowsOf('application/x-ndjson', 'BatchRow', 'A `BatchRow` on each line.'),
      examples: sample('An answer and a failure', ndjson(rows)),
    },
    csv: {
      schema: { type: 'string', contentMediaType: 'text/csv', description: 'A header, and a record for each row.' },
      examples: sample(
        'Some of the columns',
        'row,custom_id,status,code,lookup_id,address,lat,lon,greenbelt\r\n1,a,200,,lkp_019b76da9c00f1d5c2a8e4b0397a1c6e,"13 Marsh Rd, Fiddlehead Corners, ON",44.2997,-79.3172,true\r\n',
      ),
    },
    geojson: { schema: { $ref: '#/components/schemas/BatchFeatures' } },
    parquet: { schema: { type: 'string', format: 'binary', description: 'GeoParquet 1.1.' } },
  };
}

function ndjson(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** Paths of the document. */
export const batchPaths = (examples: BatchExamples): Schema => ({
  '/api/batches': { post: createOperation(examples), get: listOperation },
  '/api/batches/{id}': { get: showOperation, delete: deleteOperation },
  '/api/batches/{id}/results': { get: resultsOperation(examples) },
  '/api/batches/{id}/cancel': { post: cancelOperation },
});

export const batchSchemas: Schema = {
  Batch: batchSchema,
  Batches: batchesSchema,
  BatchInputRow: batchInputRowSchema,
  BatchRow: batchRowSchema,
  AnsweredRow: answeredRowSchema,
  FailedRow: failedRowSchema,
  BatchFeatures: batchFeaturesSchema,
};
