/**
 * What a file in `layers/` says: where a data set comes from, what is kept of it, and which of the response's keys it answers, and how.
 * `npm run publish-contract` writes the schema to `layers/schema/data-set.schema.json`, where editors find it.
 */
import { Type, type TObject, type TSchema } from 'typebox';
import { byKind, closed, mapOf, nullable, oneOf, type Described } from '../schema.ts';
import { countingRules, fieldSchema, text, type FieldFilter } from './fields.ts';
import { catalogueKinds, type AnswerDefinition, type CatalogueKinds } from './kinds/kinds.ts';
import { bothLanguages } from './reader.ts';
import { sourceSchema } from './sources.ts';

export type { CountingRule, FieldDefinition, FieldFilter, MemberDefinition } from './fields.ts';
export type { LayerGroup } from './kinds/kind.ts';
export type * from './kinds/kinds.ts';
export type * from './sources.ts';

const sourceUntil = closed(
  {
    day: Type.String({
      pattern: '^\\d{4}-\\d{2}-\\d{2}$',
      description: 'YYYY-MM-DD: the last day that the data tell of.',
    }),
    stated: Type.String({ minLength: 1, description: 'Where that stands, and in which words.' }),
  },
  {
    description:
      'How old the data themselves are, where their source says so: a layer may be edited or fetched long after its data end. `dataAsOf` is never later.',
  },
);

const term = closed(
  {
    days: Type.Integer({
      minimum: 1,
      maximum: 3660,
      description: 'After so many days without a change at its source the data are overdue.',
    }),
    stated: Type.String({ minLength: 1, description: 'Who says how often the data are renewed, and in which words.' }),
  },
  { description: 'How often the source renews the data, where somebody says so.' },
);

const announced = closed(
  {
    from: nullable(
      Type.String({
        pattern: '^\\d{4}-\\d{2}-\\d{2}$',
        description: 'YYYY-MM-DD: the first day on which it holds; null where the day is not known.',
      }),
    ),
    ...bothLanguages.properties,
    url: Type.String({ pattern: '^https://', description: 'Where the change, or who carries it out, is described.' }),
  },
  { description: 'What will change, who said so and when.' },
);

const members = {
  title: text,
  publisher: text,
  french: Type.Optional(
    closed(
      { publisher: text },
      { description: 'For French readers. The title stays what the publisher calls the data.' },
    ),
  ),
  licence: closed({
    id: text,
    url: nullable(
      Type.String({
        pattern: '^https://',
        description: 'Null where the licences of a composite data set differ.',
      }),
    ),
    attribution: text,
  }),
  sources: Type.Array(sourceSchema, {
    minItems: 1,
    description: 'In order of preference: the first that can be had is used. A composite source stands alone.',
  }),
  geometry: oneOf(['polygon', 'line', 'point']),
  fields: mapOf(fieldSchema, {
    propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_]*$' },
    description: 'Attributes kept, by the name that the field has at its source now.',
  }),
  counts: Type.Optional(countingRules),
  coverage: oneOf(['province', 'features'], {
    description: 'Where the data set knows the answer, unless the import manifest says otherwise.',
  }),
  fixedList: Type.Optional(
    Type.Array(text, {
      minItems: 1,
      uniqueItems: true,
      description:
        'Fields whose values are a known list, such as names and numbers of offices. An import that finds another list than the last snapshot has is refused until somebody accepts it.',
    }),
  ),
  sourceUntil: Type.Optional(sourceUntil),
  term: Type.Optional(term),
  announced: Type.Optional(
    Type.Array(announced, { description: 'Changes of the data, or of what they describe, that are announced.' }),
  ),
  limits: Type.Optional(
    Type.Array(bothLanguages, { description: 'What the data do not say, for those who read an answer.' }),
  ),
  provenance: Type.Optional(
    Type.Array(text, { description: 'For operators: what is not confirmed of the source, and what stands in for it.' }),
  ),
  answers: Type.Array(Type.Unsafe<AnswerDefinition>({})),
};

export type DataSetDefinition = Described<TObject<typeof members>> & {
  /** The file's name without `.json`; also the `dataAsOf` key and the table name. */
  readonly id: string;
  /** What answers, also of other data sets, choose its features by. */
  readonly filters?: readonly FieldFilter[];
};

/** The JSON Schema of a file in `layers/`. */
export function dataSetSchema(kinds: CatalogueKinds = catalogueKinds): TSchema {
  const definitions = Object.fromEntries(Object.entries(kinds).map(([kind, { definition }]) => [kind, definition]));
  return closed(
    { $schema: Type.Optional(Type.String()), ...members, answers: Type.Array(byKind(definitions)) },
    { $schema: 'http://json-schema.org/draft-07/schema#', title: 'A data set and the answers it gives' },
  );
}
