import { Type, type TSchema } from 'typebox';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { AnswerDefinition } from '../../catalogue/definition.ts';
import { closed, type Schema } from '../../schema.ts';
import { evidenceSchema, layersEvidenceSchema } from '../../messages/wire/full-lookup.ts';
import { geocodeSchema } from '../../messages/wire/geocode.ts';
import { pointGeocodeSchema } from '../../messages/wire/point-lookup.ts';
import { answersOf, ownLookups, type Brought, type LayerExamples } from './lookup-operations.ts';
import { catalogueKindOf, catalogueKinds } from '../../catalogue/kinds/kinds.ts';
import { proximityClasses } from '../../catalogue/proximity-class-names.ts';

/** Returns the schema of a layer's key, with the texts of its definition. */
export function layerSchema(answer: AnswerDefinition, examples: LayerExamples, kinds = catalogueKinds): Schema {
  const kind = catalogueKindOf(answer, kinds);
  const meaningOfNull = kind.isNullWhereNone
    ? 'Null also means "not known": detail=full distinguishes the two.'
    : 'Null means "not known", never "no".';
  // The description is for readers of the page, too: it has no codes.
  const classes = answer.kind === 'proximity' ? ` In this order: ${proximityClasses.join(', ')}.` : '';
  return {
    title: answer.title,
    description: `${answer.description}${classes} ${meaningOfNull}`,
    ...kind.valueSchema(answer),
    ...(examples[answer.key] ? { examples: examples[answer.key] } : {}),
    'x-group': answer.group,
  };
}

/** Components of the 200 answers to lookups, and their parts. */
export function lookupSchemas(
  { answers, further, dataSets }: Catalogue,
  examples: LayerExamples,
  { lookups: brought, maps, members }: Brought,
): Readonly<Record<string, TSchema>> {
  const layers = byKey({ answers, further }, (answer) => layerSchema(answer, examples));
  const dates = Object.fromEntries(
    dataSets
      .filter(({ id }) => id !== 'province')
      .map(({ id, title }) => [id, Type.Optional(Type.String({ format: 'date', description: title }))]),
  );
  return {
    ...Object.fromEntries(answersOf(ownLookups, { maps, members })),
    Layers: closed(layers, {
      description: 'All layers, in a fixed order, then the further ones that were asked for. Null is never "no".',
    }),
    ...Object.fromEntries(answersOf(brought, { maps, members })),
    ...together(brought.map(({ components }) => components.layers({ answers, further }))),
    DataAsOf: closed(dates, {
      description: 'Date of each loaded data set; a data set without data has no key.',
    }),
    ...together(brought.map(({ components }) => components.values)),
    LayersEvidence: layersEvidenceSchema({
      keys: answers.map(({ answer }) => answer.key),
      furtherKeys: further.map(({ answer }) => answer.key),
    }),
    Evidence: evidenceSchema,
    Geocode: geocodeSchema,
    PointGeocode: pointGeocodeSchema,
    ...maps?.components(brought),
    ...together(members.map(({ components = {} }) => components)),
  };
}

function together(components: readonly Readonly<Record<string, TSchema>>[]): Readonly<Record<string, TSchema>> {
  return Object.assign({}, ...components) as Readonly<Record<string, TSchema>>;
}

/** Returns the schemas by layer key; those of further answers are optional. */
export function byKey(
  { answers, further }: Pick<Catalogue, 'answers' | 'further'>,
  schemaOf: (answer: AnswerDefinition) => Schema,
): Readonly<Record<string, TSchema>> {
  const own = answers.map(({ answer }): [string, TSchema] => [answer.key, Type.Unsafe(schemaOf(answer))]);
  const optional = further.map(({ answer }): [string, TSchema] => [
    answer.key,
    Type.Optional(Type.Unsafe(schemaOf(answer))),
  ]);
  return Object.fromEntries([...own, ...optional]);
}
