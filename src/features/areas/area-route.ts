import { Type } from 'typebox';
import type { RoutedFeature } from '../../core/http/routes.ts';
import { areaLookupSchema, areaRequestSchema, fullAreaLookupSchema } from '../../messages/wire/area-lookup.ts';
import { areaOf, areaShape, EXAMPLE } from './area-request.ts';
import { areaSchemas } from './area-schemas.ts';

/** `POST /api/lookup/area`. */
export const areaLookup: NonNullable<RoutedFeature['lookups']>[number] = {
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
