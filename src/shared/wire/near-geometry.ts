/** What was found and what lies near by, for a map and not for measuring: `geometry` of a full answer with `geometry=near`. */
import { Type } from '../schema-builders.ts';
import { closed, nullable, oneOf, type Described } from '../schema.ts';

const feature = closed(
  {
    type: Type.Literal('Feature'),
    properties: closed(
      {
        dataSet: Type.String({ description: 'Data set id.' }),
        label: nullable(Type.String({ description: 'A name or value to show.' })),
        distanceM: Type.Number({ minimum: 0, description: 'Metres from the place; 0 inside.' }),
      },
      { description: 'What it is.' },
    ),
    geometry: closed({
      type: oneOf(['Point', 'MultiPoint', 'LineString', 'MultiLineString', 'Polygon', 'MultiPolygon']),
      coordinates: Type.Unsafe<unknown[]>({
        type: 'array',
        items: { type: ['number', 'array'], items: {} },
        description: 'Longitude, latitude in degrees.',
      }),
    }),
  },
  { description: 'One feature, or the part of it within the radius.' },
);
export type NearFeature = Described<typeof feature>;

export const nearGeometrySchema = closed(
  {
    type: Type.Literal('FeatureCollection'),
    radiusM: Type.Number({ description: 'Features are clipped to this distance from the place.' }),
    truncated: Type.Boolean({ description: 'True when features were left out to keep the answer small.' }),
    features: Type.Array(feature),
  },
  { description: 'GeoJSON of the features that were found and those near by, clipped to the radius.' },
);
export type NearGeometry = Described<typeof nearGeometrySchema>;
