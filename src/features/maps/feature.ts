import { Type } from 'typebox';
import type { ServedFeature } from '../../feature.ts';
import type { LookupDetail } from '../../messages/lookup.ts';
import { badRequest } from '../../messages/problems.ts';
import { nearGeometrySchema, type NearGeometry } from '../../messages/wire/near-geometry.ts';
import { oneOf, reference } from '../../schema.ts';

const besideDetail = Type.Optional(
  oneOf(['near', 'map'], {
    description:
      'Only with detail=full. near: also the features that were found and those near by, as GeoJSON clipped to 1 km. map: with them the addresses around, and where the data of hazards do not reach.',
  }),
);

const ofArea = Type.Optional(
  oneOf(['map'], {
    description:
      'map: also what a map of the area shows, as GeoJSON: the area as it was answered, which is another one than was sent where that was repaired, and the features in it and around it.',
  }),
);

/** What maps show of a lookup: the features that were found and those near by. */
export const maps: ServedFeature = {
  maps: {
    parameter: (hasDetail) => (hasDetail ? besideDetail : ofArea),
    takes: (hasDetail) => (hasDetail ? 'one value: near or map' : 'one value: map'),
    read(value, isFull) {
      if (isFull) return value as NonNullable<LookupDetail['geometry']>;
      throw badRequest('the query parameter "geometry" needs "detail=full" beside it', { param: 'geometry' });
    },
    member: Type.Optional(reference<NearGeometry>('NearGeometry')),
    components: (lookups) => ({ NearGeometry: nearGeometrySchema(lookups.length > 0) }),
  },
};
