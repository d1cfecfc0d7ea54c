import { Type } from 'typebox';
import { closed, type Described } from '../../schema.ts';
import { countingRules, filterMembers, filterSchema, text } from '../fields.ts';
import { distanceToArea, shareByBand, answerSchema, deciding, fieldsOf, readsOf, type CatalogueKind } from './kind.ts';
import { proximityClasses } from '../proximity-class-names.ts';

const distance = Type.Number({ exclusiveMinimum: 0, maximum: 10_000 });
const bandsSchema = closed(
  { regulated: Type.Optional(distance), adjacent: Type.Optional(distance) },
  { minProperties: 1, description: 'Distances in metres; a class that is missing does not exist for the layer.' },
);
export type Bands = Described<typeof bandsSchema>;

const definition = answerSchema(
  'proximity',
  {
    bands: bandsSchema,
    insideWithinM: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description: 'A line or point no farther than this counts as `inside`; polygons contain. Metres.',
      }),
    ),
    keptWithinM: Type.Optional({
      ...distance,
      description:
        'Metres within which the index keeps the features, where that is more than the widest band: rules may ask for such a distance. It holds from the next import on.',
    }),
    wholeBand: Type.Optional(
      Type.Boolean({
        description:
          '"outside" needs an area that the data set knows for the whole outermost band around the place, not for the place alone: what lies just beyond the area\'s edge is not known. Where the area ends sooner, the answer is null unless a feature is found.',
      }),
    ),
    deciding,
    precedence: Type.Optional(
      Type.Array(filterSchema, {
        minItems: 1,
        description:
          'Of features that are equally near, which decides: the one whose value stands first in the list of the first field; a value that is not listed comes last. Then by the next field, at last by the order of the source.',
      }),
    ),
    only: Type.Optional(filterSchema),
    ignore: Type.Optional(filterSchema),
    judgedBy: Type.Optional({
      ...countingRules,
      description:
        'Rules as in `counts`, which judge each feature of the data set for this answer alone. "outside" needs a feature within the outermost band that they know not to count, and none of which they do not know it: elsewhere nobody has looked.',
    }),
    bandsFor: Type.Optional(
      Type.Array(closed({ ...filterMembers, bands: bandsSchema }), {
        minItems: 1,
        description: 'Other bands for features with one of these values.',
      }),
    ),
    with: Type.Optional(
      Type.Array(closed({ dataSet: text, only: Type.Optional(filterSchema), ignore: Type.Optional(filterSchema) }), {
        minItems: 1,
        description: 'Other data sets whose features count too. They are optional: the answer stands without them.',
      }),
    ),
  },
  'The class of the distance to the nearest feature: inside, regulated, adjacent, outside. `deciding`: attributes of the feature that decides the class, for the evidence. `only`, `ignore`: which features of this data set count.',
);
export type ProximityAnswer = Described<typeof definition>;

export const proximityKind: CatalogueKind<ProximityAnswer> = {
  definition,
  fieldsUsed: ({ bandsFor = [], only, ignore, judgedBy = [], precedence = [], deciding: told = {} }) => [
    ...[...bandsFor, only, ignore, ...judgedBy, ...precedence].flatMap((filter) => filter?.field ?? []),
    ...fieldsOf(told),
  ],
  coded: (answer) => readsOf(answer.deciding ?? {}),
  partners: (answer) => answer.with ?? [],
  filters: ({ bandsFor = [], only, ignore }) => [...bandsFor, only, ignore].filter((filter) => filter !== undefined),
  problem,
  valueSchema: (answer) => ({
    type: ['string', 'null'],
    enum: [...proximityClasses, null],
    'x-bands-m': bandsWithInside(answer),
  }),
  areaMembers: () => ({
    bands: shareByBand,
    distanceM: distanceToArea,
  }),
  isNullWhereNone: false,
  describe: (answer) => ({
    values: proximityClasses,
    bandsM: bandsWithInside(answer),
    specialBandsM:
      answer.bandsFor?.map(({ values, bands }) => ({ for: values, bandsM: { ...answer.bands, ...bands } })) ?? null,
  }),
};

function bandsWithInside({ insideWithinM = 0, bands }: ProximityAnswer) {
  return { inside: insideWithinM, ...bands };
}

/** Metres up to which a rule may ask how near the features of a layer are, whatever its bands; null: rules cannot ask that of it. */
export function mostAskedM({ judgedBy, bands, bandsFor = [], keptWithinM = 0 }: ProximityAnswer): number | null {
  const all = [bands, ...bandsFor.map((special) => special.bands)];
  return judgedBy
    ? null
    : Math.max(keptWithinM, ...all.flatMap(({ regulated = 0, adjacent = 0 }) => [regulated, adjacent]));
}

function problem(answer: ProximityAnswer): string | null {
  const { bands: general, bandsFor = [], insideWithinM = 0, judgedBy, only, ignore, wholeBand } = answer;
  if (answer.precedence && !answer.deciding)
    return '"precedence" needs "deciding": it chooses the feature of which the evidence tells';
  if (judgedBy && (only ?? ignore ?? answer.with ?? wholeBand) !== undefined)
    return '"judgedBy" stands alone: without "only", "ignore", "with" and "wholeBand"';
  const limits = [general, ...bandsFor.map(({ bands }) => ({ ...general, ...bands }))];
  const grow = limits.every(
    ({ regulated = 0, adjacent = Infinity }) =>
      regulated < adjacent && insideWithinM < Math.min(regulated || Infinity, adjacent),
  );
  return grow ? null : 'bands must grow from inside over regulated to adjacent';
}
