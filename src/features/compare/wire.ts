/** What `POST /api/compare` and `GET /api/vintages` take and answer. */
import { Type } from 'typebox';
import { lookupMembers } from '../../messages/wire/lookup.ts';
import { closed, mapOf, nullable, oneOf, reference, type Described } from '../../schema.ts';

/** Beside each vintage that is shown. */
const OUR_RECORD = 'It is the day of our record of the data, not the day from which a law holds.';

const text = Type.String();

export const compareRequestSchema = closed({
  before: Type.Unsafe<object>({
    type: 'object',
    description: 'The answer that was kept: the body of a lookup with detail=full, as it came.',
  }),
  geometry: Type.Optional(
    Type.Unsafe<object>({
      type: 'object',
      description: 'Where it was sent then: as it was, because an answer does not have it.',
    }),
  ),
});

const value = (description: string) => Type.Optional(Type.Unsafe<unknown>({ description }));
const distance = (description: string) => Type.Optional(Type.Number({ minimum: 0, description }));
const facts = (description: string) =>
  Type.Optional(
    nullable(mapOf(Type.Unsafe<string | number | null>({ type: ['string', 'number', 'null'] }), { description })),
  );

const changed = closed(
  {
    change: oneOf(['none', 'appeared', 'disappeared', 'value', 'known', 'unknown'], {
      description:
        'none: the same. appeared: it was not there, and is. disappeared: the other way round. value: another value, or another feature that decides it. known: it was not known before, or less of it was. unknown: the other way round.',
    }),
    before: value('The value then. The other members are there unless the change is none.'),
    now: value('The value now.'),
    distanceBeforeM: distance('Metres to the feature that decided, where the answer had them.'),
    distanceNowM: distance('Metres to the feature that decides, where the answer has them.'),
    featureBefore: facts('Facts of the feature that decided, where those are what differs.'),
    featureNow: facts('Facts of the feature that decides now.'),
    cause: Type.Optional(
      oneOf(['address', 'definition', 'data'], {
        description:
          'address: the address is at another point now. definition: the definition of the layer, or the rule of the program. data: the data. Where both of the last two are other ones, `definition` stands where the deciding feature is as far away as before, otherwise `data`.',
      }),
    ),
  },
  { description: 'What became of one layer.' },
);
export type LayerChange = Described<typeof changed>;
export type Change = LayerChange['change'];
export type Cause = NonNullable<LayerChange['cause']>;

const record = closed(
  {
    vintage: Type.String({ description: `Id of the snapshot that answered. ${OUR_RECORD}` }),
    at: Type.String({ format: 'date-time', description: 'When that record of the data was made.' }),
  },
  { description: 'What an answer rests on.' },
);

export const comparisonSchema = closed(
  {
    before: record,
    now: record,
    address: nullable(Type.String({ description: 'As the answer of now has it; null where it has none.' })),
    lat: lookupMembers.lat,
    lon: lookupMembers.lon,
    movedM: Type.Number({ minimum: 0, description: 'Metres from the point of then to that of now.' }),
    changed: Type.Array(text, { description: 'Keys of the layers whose change is not none.' }),
    layers: mapOf(reference<LayerChange>('LayerChange'), { description: 'All layers of either answer, by key.' }),
  },
  { description: 'An answer that was kept, compared with the answer of now.' },
);
export type Comparison = Described<typeof comparisonSchema>;

export const compareSchemas = {
  CompareRequest: compareRequestSchema,
  Comparison: comparisonSchema,
  LayerChange: changed,
};

const vintage = closed({
  vintage: Type.String({ description: `Id of the snapshot. ${OUR_RECORD}` }),
  inService: Type.Boolean({ description: 'It answers lookups now.' }),
  publishedAt: Type.String({ format: 'date-time' }),
  dataAsOf: reference<Record<string, string>>('DataAsOf'),
  definitions: Type.String({ description: 'Mark of the definitions by which it was imported.' }),
});
export type Vintage = Described<typeof vintage>;

export const vintagesSchema = closed(
  { vintages: Type.Array(vintage) },
  { description: `The snapshots on this machine, the newest first. ${OUR_RECORD}` },
);
export type VintagesBody = Described<typeof vintagesSchema>;
