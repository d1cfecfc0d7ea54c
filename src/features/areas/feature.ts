import type { ServedFeature } from '../../feature.ts';
import { areaTool } from './area-tool.ts';
import type { RoutedFeature } from '../../core/http/routes.ts';
import {
  areaLookupSchema,
  areaRequestSchema,
  fullAreaLookupSchema,
  areaComponents,
} from '../../messages/wire/area-lookup.ts';
import { areaOf, areaShape, EXAMPLE } from './area-request.ts';
import type { AnswerDefinition } from '../../catalogue/definition.ts';
import { unknownShare } from '../../catalogue/kinds/kind.ts';
import { catalogueKindOf, catalogueKinds } from '../../catalogue/kinds/kinds.ts';
import type { BroughtLookup } from '../../core/openapi/lookup-operations.ts';
import { byKey } from '../../core/openapi/lookup-schemas.ts';
import { type Schema, closed } from '../../schema.ts';
import { Type } from 'typebox';

/** Components of the document that the answer for an area refers to. */
const areaSchemas: BroughtLookup['components'] = {
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

/** `POST /api/lookup/area`. */
const areaLookup: NonNullable<RoutedFeature['lookups']>[number] = {
  path: '/api/lookup/area',
  isCostly: true,
  mostBytes: 512 * 1024,
  example: EXAMPLE,
  shape: areaShape,
  read: (body, { full, geometry, further, members }) => ({
    kind: 'area',
    ...(geometry === 'map' ? { geometry } : {}),
    ...(full ? { full } : {}),
    ...(further === undefined ? {} : { further }),
    ...(members === undefined ? {} : { members }),
    ...areaOf(body),
  }),
  noun: 'an area',
  row: {
    geometry: Type.Optional({ ...areaRequestSchema.properties.geometry, description: 'or, in NDJSON, an area.' }),
  },
  docs: {
    operationId: 'lookupArea',
    summary: 'Look up the land data of an area',
    does: 'Says for every layer how much of the area it is. A costly lookup: those of one key take turns with those of others.',
    request: ['AreaRequest', areaRequestSchema],
    answer: ['AreaLookup', areaLookupSchema],
    fullAnswer: ['FullAreaLookup', fullAreaLookupSchema],
    mapsNeedNoDetail: true,
    examples: ({ area, areaLookup: answer }) => ({
      request: area,
      answer,
    }),
  },
  components: areaSchemas,
};

/** Returns the schema of a layer's key in the answer for an area. */
export function areaLayerSchema(answer: AnswerDefinition, kinds = catalogueKinds): Schema {
  const members = { ...catalogueKindOf(answer, kinds).areaMembers(answer), unknownShare };
  return {
    title: answer.title,
    type: ['object', 'null'],
    required: Object.keys(members),
    additionalProperties: false,
    properties: members,
    'x-group': answer.group,
  };
}

/** Lookups of areas: a route, rows of files, and a tool for agents. */
export const areas: ServedFeature = {
  lookups: [areaLookup],
  tools: [areaTool],
  about: () => ({ noun: 'a parcel' }),
};
