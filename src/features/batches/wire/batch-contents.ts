/** What the operations of batches take and answer, with examples. */
import type { Brought, Examples } from '../../../core/openapi/lookup-operations.ts';
import type { Schema } from '../../../schema.ts';
import type { BatchRow } from './batch-rows.ts';
import { resultTypes, type BatchBody, type ResultFormat } from './batch.ts';

/** A batch that runs. */
export const exampleBatch: BatchBody = {
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

export const batchContent: Schema = {
  'application/json': {
    schema: { $ref: '#/components/schemas/Batch' },
    example: exampleBatch,
  },
};

/** Text in which each line or record is a value of a component. */
const rowsOf = (contentMediaType: string, component: string, description: string): Schema => ({
  type: 'string',
  contentMediaType,
  description,
  contentSchema: { type: 'array', items: { $ref: `#/components/schemas/${component}` } },
});

/** A file, which clients that are made from the document send as it is: otherwise some of them would write it as a text of JSON. */
const fileOf: typeof rowsOf = (...rows) => ({ ...rowsOf(...rows), format: 'binary' });

/** The body of an upload. */
export const uploadBody = (examples: Examples, { lookups }: Brought): Schema => ({
  required: true,
  content: {
    'text/csv': {
      schema: fileOf(
        'text/csv',
        'BatchInputRow',
        'A header with the column `address`, or `lat` and `lon`, and `custom_id` if there is one; then a record for each row.',
      ),
      example: 'custom_id,address\na,"13 Marsh Rd, Fiddlehead Corners, ON"\nb,"31 Main St E, Sampleton, ON"\n',
    },
    'application/x-ndjson': {
      schema: fileOf('application/x-ndjson', 'BatchInputRow', 'A JSON object on each line.'),
      example: ndjson([
        { custom_id: 'a', address: '13 Marsh Rd, Fiddlehead Corners, ON' },
        { custom_id: 'b', lat: 44.2997, lon: -79.3172 },
        ...lookups.map(({ docs }) => ({ custom_id: 'c', ...docs.examples(examples).request })),
      ]),
    },
  },
});

/** The body of results, by content type. */
export function resultsContent(examples: Examples): Schema {
  const contents = resultContent(examples);
  return Object.fromEntries(
    Object.entries(resultTypes).map(([format, type]) => [type, contents[format as ResultFormat]]),
  );
}

function resultContent({ lookup }: Examples): Readonly<Record<ResultFormat, Schema>> {
  const rows: readonly BatchRow[] = [
    {
      row: 1,
      custom_id: 'a',
      status: 200,
      code: null,
      lookupId: 'lkp_019b76da9c00f1d5c2a8e4b0397a1c6e',
      body: lookup,
      attribution: ['Contains information licensed under …'],
    },
    {
      row: 2,
      custom_id: 'b',
      status: 404,
      code: 'ADDRESS_NOT_FOUND',
      lookupId: null,
      body: { detail: 'The street is not known there.', reason: 'STREET_NOT_FOUND', suggestions: [] },
    },
  ];
  return {
    ndjson: {
      schema: rowsOf('application/x-ndjson', 'BatchRow', 'A `BatchRow` on each line.'),
      example: ndjson(rows),
    },
    csv: {
      schema: { type: 'string', contentMediaType: 'text/csv', description: 'A header, and a record for each row.' },
      example:
        'row,custom_id,status,code,lookup_id,address,lat,lon,greenbelt\r\n1,a,200,,lkp_019b76da9c00f1d5c2a8e4b0397a1c6e,"13 Marsh Rd, Fiddlehead Corners, ON",44.2997,-79.3172,true\r\n',
    },
    geojson: { schema: { $ref: '#/components/schemas/BatchFeatures' } },
    parquet: { schema: { type: 'string', format: 'binary', description: 'GeoParquet 1.1.' } },
  };
}

function ndjson(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
