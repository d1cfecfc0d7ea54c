/** `POST /api/coverage`: what it takes, and its answer. */
import { Type } from 'typebox';
import { geocodeSchema } from '../../messages/wire/geocode.ts';
import { lookupRequestSchema } from '../../messages/wire/lookup.ts';
import { pointRequestSchema } from '../../messages/wire/point-lookup.ts';
import { closed, mapOf, type Described } from '../../schema.ts';

const { address } = lookupRequestSchema.properties;
const { lat, lon, uncertaintyM } = pointRequestSchema.properties;

/** Not a choice of two objects: programs that reason read the schema of a tool as one. */
export const coverageRequestSchema = closed(
  {
    address: Type.Optional(address),
    ...{ lat: Type.Optional(lat), lon: Type.Optional(lon), uncertaintyM },
  },
  { description: 'The body of a lookup of an address, or of a point.' },
);

const { accuracy, score } = geocodeSchema.properties;

export const coverageSchema = closed(
  {
    known: mapOf(Type.Boolean(), {
      description:
        'By layer, whether its data say of this place what is there, and what is not. False: they do not reach the place, are not loaded, or are known only where they have something; a lookup may still find that.',
    }),
    address: Type.Union([closed({ accuracy, score }), Type.Null()], {
      description: 'How the address was found; null for a point.',
    }),
  },
  { description: 'What is known of a place, without what it is.' },
);
export type CoverageBody = Described<typeof coverageSchema>;
