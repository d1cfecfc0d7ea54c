/** What `POST /api/lookup/point` takes and answers: a lookup of a place that is given by its coordinates. */
import { Type } from 'typebox';
import { closed, nullable, oneOf, reference, type Described } from '../../schema.ts';
import { fullLookupSchemaOf } from './full-lookup.ts';
import { componentsSchema, placeMembers } from './geocode.ts';
import { lookupMembers } from './lookup.ts';
import type { WithGeometry } from './near-geometry.ts';

export const pointRequestSchema = closed({
  lat: Type.Number({ minimum: -90, maximum: 90, description: 'WGS84 latitude in degrees, for example 44.1' }),
  lon: Type.Number({ minimum: -180, maximum: 180, description: 'WGS84 longitude in degrees, for example -78.6' }),
  uncertaintyM: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1000,
      description:
        'Largest error of the place, in metres; 0 when absent. With detail=full the evidence says which answers it puts in doubt.',
    }),
  ),
});
export type PointRequest = Described<typeof pointRequestSchema>;

const address = nullable(
  Type.String({
    description:
      'The civic address nearest to the place, within 100 m. Null where the address register has none there, and where it cannot tell: detail=full distinguishes the two.',
  }),
);

export const pointGeocodeSchema = closed(
  {
    ...placeMembers,
    address,
    accuracy: oneOf(['point'], { description: 'The request gave the place itself.' }),
    uncertaintyM: Type.Number({ minimum: 0, maximum: 1000, description: 'As in the request; 0 when it was absent.' }),
    addressState: oneOf(['present', 'absent', 'unavailable'], {
      description:
        'present: an address. absent: the address register has none within 100 m. unavailable: nobody knows, because there is no address register, or it was imported by a version that did not store addresses by place.',
    }),
    addressDistanceM: nullable(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description: 'Metres on the ground from the place to that address; null when there is none.',
      }),
    ),
    addressAccuracy: nullable(
      oneOf(['building', 'blockface'], {
        description:
          'Where the register has that address. building: the building or its driveway. blockface: the side of the street, which is used only where no building is within 100 m.',
      }),
    ),
    components: nullable(componentsSchema),
    source: oneOf(['request'], { description: 'No geocoder was asked.' }),
  },
  { description: 'The place of a point lookup, and the address nearest to it.' },
);
export type PointGeocode = Described<typeof pointGeocodeSchema>;

const pointMembers = { ...lookupMembers, address };

export const pointLookupSchema = closed(pointMembers, { description: 'Answer of a point lookup.' });
export type PointLookupBody = Described<typeof pointLookupSchema>;

const ofPoint = {
  members: pointMembers,
  geocode: reference<PointGeocode>('PointGeocode'),
  description: 'Answer of a point lookup with detail=full.',
};

export const fullPointLookupSchema = fullLookupSchemaOf(ofPoint);
export type FullPointLookupBody = Described<typeof fullPointLookupSchema> & WithGeometry;
