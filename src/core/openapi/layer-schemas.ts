import type { AnswerDefinition } from '../../catalogue/definition.ts';
import { catalogueKindOf, catalogueKinds } from '../../catalogue/kinds/kinds.ts';
import { proximityClasses } from '../../catalogue/proximity-classes.ts';
import type { LayerValue } from '../../messages/wire/lookup.ts';
import type { Schema } from '../../schema.ts';

/** Layer key -> values that the bundled sample gives, for the examples. */
export type LayerExamples = Readonly<Record<string, readonly LayerValue[]>>;

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
