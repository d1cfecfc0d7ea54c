import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type { Schema } from '../shared/schema.ts';
import { layerSchema, type LayerExamples } from './layer-schemas.ts';

const day = { type: 'string', format: 'date', description: 'YYYY-MM-DD' } as const;
const latitude = { type: 'number', minimum: 41, maximum: 57, description: 'WGS84 latitude in degrees.' } as const;
const longitude = { type: 'number', minimum: -96, maximum: -74, description: 'WGS84 longitude in degrees.' } as const;
const text = (description: string): Schema => ({ type: 'string', description });
const maybeText = (description: string): Schema => ({ type: ['string', 'null'], description });

/** An object with exactly these members. */
function closed(
  description: string,
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', description, required, additionalProperties: false, properties };
}

/** Components of the lookup's 200 answers: `Lookup`, `FullLookup` and their parts. */
export function lookupSchemas(
  { answers, dataSets }: Catalogue,
  examples: LayerExamples,
): Readonly<Record<string, Schema>> {
  const layers = Object.fromEntries(answers.map(({ answer }) => [answer.key, layerSchema(answer, examples)]));
  const evidence = Object.fromEntries(
    answers.map(({ answer }) => [answer.key, { $ref: '#/components/schemas/Evidence' }]),
  );
  const dates = Object.fromEntries(
    dataSets.filter(({ id }) => id !== 'province').map(({ id, title }) => [id, { ...day, description: title }]),
  );
  const common = {
    address: {
      type: 'string',
      description: 'The resolved address in canonical form. It may differ from the request: show it to whoever asked.',
    },
    lat: latitude,
    lon: longitude,
    layers: { $ref: '#/components/schemas/Layers' },
    dataAsOf: { $ref: '#/components/schemas/DataAsOf' },
  };
  return {
    Lookup: closed('Answer of a lookup.', common),
    FullLookup: closed(
      'Answer of a lookup with detail=full.',
      {
        ...common,
        geocode: { $ref: '#/components/schemas/Geocode' },
        evidence: closed('What each answer rests on, by layer key.', evidence),
        snapshot: closed('The data that answered.', {
          id: text('Snapshot id.'),
          createdAt: { type: 'string', format: 'date-time' },
          sample: { type: 'boolean', description: 'True when any of it is the hand-drawn sample: not real.' },
        }),
        geometry: { $ref: '#/components/schemas/NearGeometry' },
      },
      ['geometry'],
    ),
    Layers: closed('All layers, in a fixed order. Null is never "no".', layers),
    DataAsOf: {
      type: 'object',
      description: 'Date of each data set that is loaded; one without data has no key.',
      additionalProperties: false,
      properties: dates,
    },
    Evidence: evidenceSchema,
    Geocode: geocodeSchema,
    NearGeometry: nearGeometrySchema,
  };
}

const evidenceMembers: Readonly<Record<string, Schema>> = {
  state: {
    type: 'string',
    enum: ['present', 'absent', 'no_coverage', 'unavailable'],
    description:
      'present: a value. absent: looked for and not there; only this means "no". no_coverage: the data set does not know this place. unavailable: the data set is not loaded, or its value is not one that is known.',
  },
  distanceM: {
    type: ['number', 'null'],
    minimum: 0,
    description: 'Metres to the nearest feature that counts; 0 inside; null when none was found.',
  },
  boundaryDistanceM: {
    type: ['number', 'null'],
    minimum: 0,
    description:
      'Metres to the nearest edge at which the answer could change: of a feature, of a band around it, or of the area that the data set knows; null when it is farther than was looked.',
  },
  nearBoundary: { type: 'boolean', description: 'True when the uncertainty of the position reaches that edge.' },
  dataSets: { type: 'array', items: { type: 'string' }, description: 'Data sets that were asked, by id.' },
  feature: {
    type: ['object', 'null'],
    description:
      'What is known of the feature that decides the answer, such as who mapped it and on what basis; null when none was found. Only for layers whose sources differ from place to place: their description names the members.',
    additionalProperties: { type: ['string', 'number', 'null'] },
  },
};

const evidenceSchema = closed('What an answer rests on.', evidenceMembers, ['feature']);

const geocodeSchema = closed('How the address was resolved.', {
  address: text('Canonical form of the address.'),
  lat: latitude,
  lon: longitude,
  accuracy: {
    type: 'string',
    enum: ['building', 'blockface', 'interpolated'],
    description:
      'building: the building or its driveway. blockface: the side of the street. interpolated: between known civic numbers.',
  },
  uncertaintyM: {
    type: 'number',
    minimum: 0,
    description: 'Expected error of the position in metres, in 9 of 10 cases.',
  },
  score: { type: 'number', minimum: 0, maximum: 1, description: '1: exactly as asked.' },
  faults: {
    type: 'array',
    description: 'Differences between what was asked and what was found that were accepted.',
    items: closed('One difference.', { code: text('Kind.'), penalty: { type: 'number' }, detail: text('In words.') }),
  },
  components: closed('The parts of the address.', {
    unit: maybeText('Unit or apartment.'),
    civicNumber: { type: 'integer', minimum: 0 },
    civicSuffix: maybeText('For example A or 1/2.'),
    streetName: text('Name of the street.'),
    streetType: maybeText('For example St.'),
    streetDirection: maybeText('For example W.'),
    municipality: text('Mailing municipality.'),
    censusSubdivision: text('Municipality today.'),
    province: { type: 'string', const: 'ON' },
    postalCode: maybeText('A1A 1A1, or null where the register has none.'),
  }),
  source: text('Which geocoder answered.'),
});

const nearGeometrySchema = closed('GeoJSON of what was found and what lies near by, clipped to the radius.', {
  type: { type: 'string', const: 'FeatureCollection' },
  radiusM: { type: 'number', description: 'Features are clipped to this distance from the place.' },
  truncated: { type: 'boolean', description: 'True when features were left out to keep the answer small.' },
  features: {
    type: 'array',
    items: closed('One feature, or the part of it within the radius.', {
      type: { type: 'string', const: 'Feature' },
      properties: closed('What it is.', {
        dataSet: text('Data set id.'),
        label: maybeText('A name or value to show.'),
        distanceM: { type: 'number', minimum: 0, description: 'Metres from the place; 0 inside.' },
      }),
      geometry: {
        type: 'object',
        required: ['type', 'coordinates'],
        additionalProperties: false,
        properties: {
          type: {
            type: 'string',
            enum: ['Point', 'MultiPoint', 'LineString', 'MultiLineString', 'Polygon', 'MultiPolygon'],
          },
          coordinates: { type: 'array', description: 'Longitude, latitude in degrees.' },
        },
      },
    }),
  },
});
