import type { AnswerDefinition } from '../../catalogue/definition.ts';
import { unknownShare } from '../../catalogue/kinds/area-figures.ts';
import { catalogueKindOf, catalogueKinds } from '../../catalogue/kinds/kinds.ts';
import type { BroughtLookup } from '../../core/openapi/lookup-operations.ts';
import { byKey } from '../../core/openapi/lookup-schemas.ts';
import { areaComponents } from '../../messages/wire/area-lookup.ts';
import { closed, type Schema } from '../../schema.ts';

/** Components of the document that the answer for an area refers to. */
export const areaSchemas: BroughtLookup['components'] = {
  layers: (catalogue) => ({
    AreaLayers: closed(
      byKey(catalogue, (answer) => areaLayerSchema(answer)),
      {
        description:
          'All layers, in a fixed order, then the further ones that were asked for: what `Layers` says of each, for the parts of an area. Null: nothing is known of the layer anywhere in the area.',
      },
    ),
  }),
  values: areaComponents,
};

/** Returns the schema of a layer's key in the answer for an area. */
export function areaLayerSchema(answer: AnswerDefinition, kinds = catalogueKinds): Schema {
  const members = { ...catalogueKindOf(answer, kinds).areaMembers(answer), unknownShare };
  return {
    title: answer.title,
    ...{ type: ['object', 'null'], required: Object.keys(members), additionalProperties: false, properties: members },
    'x-group': answer.group,
  };
}
