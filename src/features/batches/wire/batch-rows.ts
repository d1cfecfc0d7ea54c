/** Rows of `/api/batches`: what goes in, and what comes out. */
import { Type, type TProperties } from 'typebox';
import { closed, nullable, reference, type Described } from '../../../schema.ts';
import type { AreaLookupBody } from '../../../messages/wire/area-lookup.ts';
import type { FullLookupBody } from '../../../messages/wire/full-lookup.ts';
import type { LookupBody } from '../../../messages/wire/lookup.ts';
import type { FullPointLookupBody } from '../../../messages/wire/point-lookup.ts';
import type { ProblemCode } from '../../../messages/problems.ts';
import { problemSchema } from '../../../messages/wire/problem.ts';

/** A line of NDJSON, or the columns of CSV. Not closed: what else a row has is ignored. @param more members by which NDJSON names other places. */
export const batchInputRowSchema = (more: TProperties) =>
  Type.Object(
    {
      address: Type.Optional(Type.String({ maxLength: 300, description: 'The place: an address,' })),
      lat: Type.Optional(Type.Number({ minimum: -90, maximum: 90, description: 'or a point,' })),
      lon: Type.Optional(Type.Number({ minimum: -180, maximum: 180 })),
      ...more,
      custom_id: Type.Optional(
        Type.Unsafe<string | number | null>({
          type: ['string', 'integer', 'null'],
          description: 'Comes back with the result.',
        }),
      ),
    },
    { description: 'A row of a file: one place. What else it has is ignored.' },
  );

const rowMembers = {
  row: Type.Integer({ minimum: 1, description: 'Number of the row in the file; a header is no row.' }),
  custom_id: nullable(Type.String({ description: 'Of the row in the file; null without one.' })),
};

const attribution = Type.Optional(
  Type.Array(Type.String(), {
    description: 'Statements that the licences require; in the first line, for the whole file.',
  }),
);

type RowBody = LookupBody | FullLookupBody | FullPointLookupBody | AreaLookupBody;

/** @param answers the components of what a row may get. */
export const answeredRowSchema = (answers: readonly string[]) =>
  closed(
    {
      ...rowMembers,
      status: Type.Literal(200),
      code: Type.Null(),
      lookupId: Type.String({ pattern: '^lkp_[0-9a-f]{32}$', description: 'Of the lookup that is billed.' }),
      body: Type.Unsafe<RowBody>({
        anyOf: answers.map((answer) => reference<RowBody>(answer)),
        description: 'What the same request by itself would have got.',
      }),
      attribution,
    },
    { description: 'A row that was answered.' },
  );

const { reason, hint, param, suggestions } = problemSchema.properties;

export const failedRowSchema = closed(
  {
    ...rowMembers,
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    code: reference<ProblemCode>('ProblemCode'),
    lookupId: Type.Null(),
    body: closed({ detail: Type.Optional(Type.String()), reason, hint, param, suggestions }),
    attribution,
  },
  { description: 'A row without an answer: `status` and `code` are what the same request by itself would have got.' },
);

export const batchRowSchema = Type.Union(
  [
    reference<Described<ReturnType<typeof answeredRowSchema>>>('AnsweredRow'),
    reference<Described<typeof failedRowSchema>>('FailedRow'),
  ],
  { description: 'The result of a row: a line of NDJSON.' },
);
export type BatchRow = Described<typeof batchRowSchema>;

const featureSchema = (nouns: readonly string[]) =>
  closed({
    type: Type.Literal('Feature'),
    id: rowMembers.row,
    geometry: Type.Unsafe<{ type: 'Point'; coordinates: [number, number] } | null>({
      type: ['object', 'null'],
      required: ['type', 'coordinates'],
      properties: { type: { const: 'Point' }, coordinates: { type: 'array', items: { type: 'number' } } },
      description: `The place; ${nouns.map((noun) => `of ${noun}, a point inside it; `).join('')}null for a row without a place.`,
    }),
    properties: Type.Object(
      {
        row: rowMembers.row,
        custom_id: Type.Optional(Type.String()),
        status: Type.Integer(),
        code: Type.Union([reference<ProblemCode>('ProblemCode'), Type.Null()]),
        lookup_id: nullable(Type.String()),
      },
      { description: 'With the columns of CSV, the rest of the body as objects, and for a failure `detail`.' },
    ),
  });

/** @param nouns what rows may ask for that is no address or point. */
export const batchFeaturesSchema = (nouns: readonly string[]) =>
  closed(
    {
      type: Type.Literal('FeatureCollection'),
      attribution: Type.Array(Type.String(), { description: 'Statements that the licences require.' }),
      features: Type.Array(featureSchema(nouns)),
    },
    { description: 'The results of a batch as GeoJSON (RFC 7946): a feature for each row.' },
  );
