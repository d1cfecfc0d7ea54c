/** How an address was resolved: `geocode` of a full answer. */
import { Type } from 'typebox';
import { closed, nullable, oneOf, type Described } from '../../schema.ts';

const text = (description: string) => Type.String({ description });

const accuracy = oneOf(['building', 'blockface', 'interpolated'], {
  description:
    'building: the building or its driveway. blockface: the side of the street. interpolated: between known civic numbers.',
});
export type Accuracy = Described<typeof accuracy>;

const fault = closed(
  { code: text('Kind.'), penalty: Type.Number(), detail: text('In words.') },
  { description: 'One difference.' },
);
export type Fault = Described<typeof fault>;

export const componentsSchema = closed(
  {
    unit: nullable(text('Unit or apartment.')),
    civicNumber: Type.Integer({ minimum: 0 }),
    civicSuffix: nullable(text('For example A or 1/2.')),
    streetName: text('Name of the street.'),
    streetType: nullable(text('For example St.')),
    streetDirection: nullable(text('For example W.')),
    municipality: text('Mailing municipality.'),
    censusSubdivision: text('Present municipality.'),
    province: Type.Literal('ON'),
    postalCode: nullable(text('A1A 1A1, or null where the register has none.')),
  },
  { description: 'The parts of the address.' },
);
/** In display case. */
export type AddressComponents = Described<typeof componentsSchema>;

/** A place in an answer. */
export const placeMembers = {
  lat: Type.Number({ minimum: 41, maximum: 57, description: 'WGS84 latitude in degrees.' }),
  lon: Type.Number({ minimum: -96, maximum: -74, description: 'WGS84 longitude in degrees.' }),
};

const reading = closed(
  {
    read: text('How the words were read.'),
    address: nullable(text('Canonical form of the place; null where the register has the street and not the number.')),
  },
  { description: 'One way to read the address.' },
);
export type ConsideredReading = Described<typeof reading>;

export const geocodeSchema = closed(
  {
    address: text('Canonical form of the address.'),
    ...placeMembers,
    accuracy,
    uncertaintyM: Type.Number({
      minimum: 0,
      description: 'Largest error of the position in 9 of 10 cases, in metres.',
    }),
    score: Type.Number({ minimum: 0, maximum: 1, description: '1: exactly as asked.' }),
    faults: Type.Array(fault, {
      description: 'Accepted differences between the request and what was found.',
    }),
    components: componentsSchema,
    readings: Type.Optional(
      Type.Array(reading, {
        maxItems: 5,
        description: 'The ways to read the address that were considered, when there was more than one.',
      }),
    ),
    source: text('Which geocoder answered.'),
  },
  { description: 'How the address was resolved.' },
);
export type Geocode = Described<typeof geocodeSchema>;
