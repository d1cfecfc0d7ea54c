/** What `POST /api/lookup/area` takes and answers: the land data of an area, by shares. */
import { Type } from 'typebox';
import { LEAST_AREA_M2, MOST_AREA_KM2, MOST_BORDER_KM, MOST_VERTICES } from '../area-limits.ts';
import { proximityClasses } from '../../catalogue/proximity-class-names.ts';
import { shareOfArea } from '../../catalogue/kinds/kind.ts';
import { closed, mapOf, nullable, oneOf, reference, type Described } from '../../schema.ts';
import { snapshotSchema } from './full-lookup.ts';
import { lookupMembers } from './lookup.ts';
import type { WithGeometry } from './near-geometry.ts';

export const areaRequestSchema = closed({
  geometry: closed(
    {
      type: oneOf(['Polygon', 'MultiPolygon']),
      coordinates: Type.Unsafe<readonly unknown[]>({
        type: 'array',
        minItems: 1,
        items: { type: 'array', items: {} },
        description: 'Rings of positions, longitude first, in WGS84 degrees. A third number of a position is ignored.',
      }),
      bbox: Type.Optional(
        Type.Unsafe<readonly number[]>({ type: 'array', items: { type: 'number' }, description: 'Ignored.' }),
      ),
    },
    {
      description: `A GeoJSON Polygon or MultiPolygon (RFC 7946): at most ${MOST_VERTICES} vertices, ${LEAST_AREA_M2} m² to ${MOST_AREA_KM2} km², at most ${MOST_BORDER_KM} km of border.`,
    },
  ),
});
export type AreaRequest = Described<typeof areaRequestSchema>;

const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

/** Components of the document that the values of layers share. */
export const areaComponents = {
  Share: share('Share of the area, with four decimals.'),
  UnknownShare: share('Share of the area where the answer is not known.'),
  DistanceToArea: nullable(
    Type.Number({
      minimum: 0,
      description:
        'Ground metres from the edge of the area to the nearest feature; 0 where they meet, null when there is none near enough.',
    }),
  ),
  ShareByBand: closed(Object.fromEntries(proximityClasses.map((name) => [name, shareOfArea])), {
    description: 'By the closest class that each place has; with unknownShare they sum to 1.',
  }),
};
/** A layer's value for an area. Its schema depends on the layer's definition (src/core/openapi/lookup-schemas.ts). */
export type AreaValue = Readonly<Record<string, unknown>> | null;

export const areaLookupSchema = closed(
  {
    areaM2: Type.Number({ minimum: 0, description: 'Square metres on the ground.' }),
    lat: { ...lookupMembers.lat, description: 'WGS84 latitude of a point inside the area.' },
    lon: { ...lookupMembers.lon, description: 'WGS84 longitude of this point.' },
    repaired: Type.Boolean({
      description:
        'True when the geometry was not valid: a ring crosses itself, is open, or overlaps another. The answer is for what its rings surround.',
    }),
    insideOntarioShare: share('Share of the area that is in Ontario. Outside, nothing is known.'),
    layers: reference<Record<string, AreaValue>>('AreaLayers'),
    dataAsOf: lookupMembers.dataAsOf,
  },
  { description: 'Answer of a lookup of an area.' },
);
export type AreaLookupBody = Described<typeof areaLookupSchema> & WithGeometry;

export const fullAreaLookupSchema = closed(
  {
    ...areaLookupSchema.properties,
    evidence: mapOf(
      closed({ dataSets: Type.Array(Type.String(), { description: 'Ids of the data sets that were used.' }) }),
      { description: 'What each answer rests on, by layer key.' },
    ),
    snapshot: snapshotSchema,
  },
  { description: 'Answer of a lookup of an area with detail=full.' },
);
export type FullAreaLookupBody = Described<typeof fullAreaLookupSchema> & WithGeometry;
