/** What was found and what lies near by, for a map and not for measuring: `geometry` of an answer with `geometry=near` or `geometry=map`. */
import { Type, type TObject } from 'typebox';
import { closed, nullable, oneOf, type Described } from '../../schema.ts';

const coordinates = Type.Unsafe<unknown[]>({
  type: 'array',
  items: { type: ['number', 'array'], items: {} },
  description: 'Longitude, latitude in degrees.',
});

const polygons = closed({ type: oneOf(['Polygon', 'MultiPolygon']), coordinates });
export type MapPolygons = Described<typeof polygons>;

const dataSet = Type.String({ description: 'Data set id.' });

const feature = closed(
  {
    type: Type.Literal('Feature'),
    properties: closed(
      {
        dataSet,
        label: nullable(Type.String({ description: 'A name or value to show.' })),
        distanceM: Type.Number({ minimum: 0, description: 'Metres from the place; 0 inside.' }),
      },
      { description: 'What it is.' },
    ),
    geometry: closed({
      type: oneOf(['Point', 'MultiPoint', 'LineString', 'MultiLineString', 'Polygon', 'MultiPolygon']),
      coordinates,
    }),
  },
  { description: 'One feature, or the part of it within the radius.' },
);
export type NearFeature = Described<typeof feature>;

const notReached = closed(
  { type: Type.Literal('Feature'), properties: closed({ dataSet }), geometry: polygons },
  { description: 'Where within the radius the data set does not know that nothing is there.' },
);
export type NotReached = Described<typeof notReached>;

const addressNear = closed(
  {
    number: Type.String({ description: 'House number, with its letter.' }),
    street: Type.String({ description: 'Name of the street.' }),
    lat: Type.Number(),
    lon: Type.Number(),
  },
  { description: 'A house number of the address register.' },
);
export type AddressNear = Described<typeof addressNear>;

const members = {
  type: Type.Literal('FeatureCollection'),
  radiusM: Type.Number(),
  truncated: Type.Boolean({ description: 'True when features were left out to keep the answer small.' }),
  features: Type.Array(feature),
  addresses: Type.Optional(
    Type.Array(addressNear, {
      description: 'With geometry=map: house numbers around the place, the nearest first, to find one’s way by.',
    }),
  ),
  notReached: Type.Optional(
    Type.Array(notReached, {
      description: 'With geometry=map: where the data of hazards do not reach, by data set. Features are known there.',
    }),
  ),
};

const ofArea = {
  area: Type.Optional({
    ...polygons,
    description: 'Of an area: what was answered. It is not what was sent where that was repaired.',
  }),
};

export type NearGeometry = Described<TObject<typeof members & typeof ofArea>>;

/** @param hasAreas whether areas are looked up too. */
export function nearGeometrySchema(hasAreas: boolean): TObject {
  const around = `Features are clipped to this distance from the place${hasAreas ? '; of an area, from its lat and lon' : ''}.`;
  return closed(
    { ...members, radiusM: Type.Number({ description: around }), ...(hasAreas ? ofArea : {}) },
    { description: 'GeoJSON of the features that were found and those near by, clipped to the radius.' },
  );
}

/** The answer of a lookup with `geometry`. */
export interface WithGeometry {
  readonly geometry?: NearGeometry;
}
