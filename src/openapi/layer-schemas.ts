import type { AnswerDefinition, MemberDefinition } from '../shared/catalogue/definition.ts';
import { membersOf, valuesOf } from '../catalogue/describe-layers.ts';
import type { LayerValue } from '../shared/contract/lookup.ts';

/** A JSON Schema (2020-12), as OpenAPI 3.1 embeds it. */
export type Schema = Readonly<Record<string, unknown>>;

/** Layer key -> values that the bundled sample gives, for the examples. */
export type LayerExamples = Readonly<Record<string, readonly LayerValue[]>>;

/** Returns the schema of a layer's key, with the texts of its definition. */
export function layerSchema(answer: AnswerDefinition, examples: LayerExamples): Schema {
  return {
    title: answer.title,
    description: `${answer.description} ${meaningOfNull(answer)}`,
    ...shapeOf(answer),
    ...(examples[answer.key] ? { examples: examples[answer.key] } : {}),
    'x-group': answer.group,
  };
}

function meaningOfNull({ kind }: AnswerDefinition): string {
  return kind === 'value' || kind === 'object'
    ? 'Null also means "not known": detail=full distinguishes the two.'
    : 'Null means "not known", never "no".';
}

function shapeOf(answer: AnswerDefinition): Schema {
  switch (answer.kind) {
    case 'boolean':
      return { type: ['boolean', 'null'] };
    case 'proximity':
      return {
        type: ['string', 'null'],
        enum: [...(valuesOf(answer) ?? []), null],
        'x-bands-m': { inside: answer.insideWithinM ?? 0, ...answer.bands },
      };
    case 'value':
      return answer.codes
        ? { type: ['string', 'null'], enum: [...(valuesOf(answer) ?? []), null] }
        : { type: ['string', 'null'] };
    case 'object':
      return closedObject(
        Object.fromEntries(Object.entries(answer.members).map(([name, member]) => [name, memberSchema(member)])),
      );
    case 'count': {
      const { count, nearestDistanceM } = answer.members;
      const words = membersOf(answer) ?? {};
      return closedObject({
        [count]: { type: 'integer', minimum: 0, description: words[count] },
        [nearestDistanceM]: { type: ['integer', 'null'], minimum: 0, description: words[nearestDistanceM] },
        ...Object.fromEntries(Object.entries(answer.nearest).map(([name, member]) => [name, memberSchema(member)])),
      });
    }
  }
}

function closedObject(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: ['object', 'null'], required: Object.keys(properties), additionalProperties: false, properties };
}

function memberSchema({ description, as, codes, required = false }: MemberDefinition): Schema {
  const values = codes ? [...new Set(Object.values(codes)), ...(required ? [] : [null])] : null;
  return { description, type: required ? as : [as, 'null'], ...(values ? { enum: values } : {}) };
}
