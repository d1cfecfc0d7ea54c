import type { AnswerDefinition } from '../shared/catalogue/definition.ts';
import { catalogueKindOf, catalogueKinds } from '../shared/catalogue/kinds/kinds.ts';
import type { LayerValue } from '../shared/wire/lookup.ts';
import type { Schema } from '../shared/schema.ts';

/** Layer key -> values that the bundled sample gives, for the examples. */
export type LayerExamples = Readonly<Record<string, readonly LayerValue[]>>;

/** What the key of a layer can be, in the words of the definition that also drives the answer. */
export function layerSchema(answer: AnswerDefinition, examples: LayerExamples, kinds = catalogueKinds): Schema {
  const kind = catalogueKindOf(answer, kinds);
  const meaningOfNull = kind.isNullWhereNone
    ? 'Null also means "not known": ask with detail=full to tell the two apart.'
    : 'Null means "not known", never "no".';
  return {
    title: answer.title,
    description: `${answer.description} ${meaningOfNull}`,
    ...kind.valueSchema(answer),
    ...(examples[answer.key] ? { examples: examples[answer.key] } : {}),
    'x-group': answer.group,
  };
}
