/** `/api/batches`: queries and answers. */
import { Type } from 'typebox';
import { furtherLayersSchema } from '../../../messages/wire/lookup.ts';
import { closed, nullable, oneOf, reference, type Described } from '../../../schema.ts';

export const batchQuerySchema = closed({
  detail: Type.Optional(
    oneOf(['plain', 'full'], {
      default: 'plain',
      description: 'full: each answer also says how its address was resolved, and what it rests on.',
    }),
  ),
  layers: furtherLayersSchema,
  address_columns: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description:
        'Names of the columns, or members, that make the address together, with commas between them: their texts are joined with commas, without those that are blank. A name that has a comma stands in quotes.',
    }),
  ),
  vintage: Type.Optional(
    Type.String({
      maxLength: 40,
      description:
        'Answer from this snapshot by the present definitions of the layers: an id, or a day (YYYY-MM-DD) for the one in service at its end (UTC). It is the day of our record, not the day from which a law holds.',
    }),
  ),
  callback_url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'Where the end of the batch is reported: https, at a public address.',
    }),
  ),
});
export type BatchQuery = Described<typeof batchQuerySchema>;

export const MOST_LISTED = 100;
export const DEFAULT_LISTED = 20;

export const batchListQuerySchema = closed({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MOST_LISTED, default: DEFAULT_LISTED, description: 'Most batches.' }),
  ),
  cursor: Type.Optional(
    Type.String({ pattern: '^bat_[0-9a-f]{32}$', description: '`nextCursor` of the page before.' }),
  ),
});
export type BatchListQuery = Described<typeof batchListQuerySchema>;

/** Media type of each format of results. */
export const resultTypes = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  geojson: 'application/geo+json',
  parquet: 'application/vnd.apache.parquet',
} as const;
export type ResultFormat = keyof typeof resultTypes;
export const resultFormats = Object.keys(resultTypes) as ResultFormat[];

export const resultsQuerySchema = closed({
  format: Type.Optional(
    oneOf(resultFormats, {
      description:
        'Without it, `Accept` decides; without both, ndjson. Only ndjson and csv can be read while the batch runs.',
    }),
  ),
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      default: 0,
      description: 'Number of the last row that the client has. Only ndjson and csv can be read from a row on.',
    }),
  ),
});
export type ResultsQuery = Described<typeof resultsQuerySchema>;

const count = (description: string) => Type.Integer({ minimum: 0, description });
const time = (description: string) => Type.String({ format: 'date-time', description });

export const batchSchema = closed(
  {
    id: Type.String({ pattern: '^bat_[0-9a-f]{32}$' }),
    state: oneOf(['queued', 'validating', 'running', 'finalizing', 'completed', 'failed', 'cancelled', 'expired'], {
      description:
        'The last four end a batch. completed: every row has its answer or its error. failed: `error` says why. cancelled: on request; the rows that were answered stay. expired: the results were deleted.',
    }),
    rows: closed(
      {
        total: count('Rows of the file.'),
        done: count('Rows with an answer or an error.'),
        found: count('Answered with 200, and billed.'),
        notFound: count('404: the address was not found.'),
        outside: count('422: outside Ontario.'),
        invalid: count('400: the row is not valid.'),
        failed: count('The service could not answer. These rows do not count against the allowance.'),
      },
      { description: 'Numbers of rows by outcome.' },
    ),
    ratePerS: nullable(Type.Number({ minimum: 0, description: 'Rows per second since the first; null before.' })),
    endsAt: nullable(time('When it ended, or will end by this rate; null when that is not known.')),
    snapshot: Type.String({ description: 'Id of the snapshot that answers every row.' }),
    detail: oneOf(['plain', 'full']),
    layers: Type.Array(Type.String(), { description: 'Keys of the further answers of every row.' }),
    createdAt: time('When it was accepted.'),
    expiresAt: nullable(time('When its results are deleted; null before its end.')),
    error: nullable(Type.String({ description: 'Why it failed; null unless it did.' })),
    ignoredColumns: Type.Array(Type.String(), {
      description: 'Columns of the file, or members of its rows, that were not used: the first 20.',
    }),
  },
  { description: 'A batch.' },
);
export type BatchBody = Described<typeof batchSchema>;

export const batchesSchema = closed(
  {
    batches: Type.Array(reference<BatchBody>('Batch'), { description: 'The newest first.' }),
    nextCursor: nullable(Type.String({ description: 'For the next page; null on the last one.' })),
  },
  { description: 'A page of the batches of a key.' },
);
export type BatchesBody = Described<typeof batchesSchema>;
