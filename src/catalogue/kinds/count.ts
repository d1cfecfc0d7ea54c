import { Type, type TSchema } from 'typebox';
import { closed, type Described, type Schema } from '../../schema.ts';
import {
  distanceToArea,
  answerSchema,
  fieldsOf,
  meanings,
  memberSchemas,
  objectValueSchema,
  readsOf,
  type CatalogueKind,
} from './kind.ts';
import { members, text } from '../fields.ts';

const definition = answerSchema(
  'count',
  {
    radiusM: Type.Number({ exclusiveMinimum: 0, maximum: 10_000 }),
    members: closed({ count: text, nearestDistanceM: text }),
    nearest: members,
  },
  'How many features lie within a radius, and what the nearest is. `nearest`: its attributes, by response member.',
);
export type CountAnswer = Described<typeof definition>;

export const countKind: CatalogueKind<CountAnswer> = {
  definition,
  fieldsUsed: ({ nearest }) => fieldsOf(nearest),
  coded: ({ nearest }) => readsOf(nearest),
  valueSchema,
  areaMembers,
  problem: ({ members: { count, nearestDistanceM } }) =>
    [count, nearestDistanceM].includes('count')
      ? 'members must not be named "count", which counts inside of an area'
      : null,
  isNullWhereNone: false,
  describe: (answer) => ({ members: { ...ownMeanings(answer), ...meanings(answer.nearest) }, radiusM: answer.radiusM }),
};

function valueSchema(answer: CountAnswer): Schema {
  const { count, nearestDistanceM } = answer.members;
  const words = ownMeanings(answer);
  return objectValueSchema({
    [count]: { type: 'integer', minimum: 0, description: words[count] },
    [nearestDistanceM]: { type: ['integer', 'null'], minimum: 0, description: words[nearestDistanceM] },
    ...memberSchemas(answer.nearest),
  });
}

function areaMembers({
  members: { count, nearestDistanceM },
  radiusM,
}: CountAnswer): Readonly<Record<string, TSchema>> {
  return {
    count: Type.Integer({ minimum: 0, description: 'Number of features in the area.' }),
    [count]: Type.Integer({ minimum: 0, description: `Number of features in the area and within ${radiusM} m of it.` }),
    [nearestDistanceM]: distanceToArea,
  };
}

function ownMeanings({ members: { count, nearestDistanceM }, radiusM }: CountAnswer): Readonly<Record<string, string>> {
  return {
    [count]: `Number of features within ${radiusM} m.`,
    [nearestDistanceM]: `Metres to the nearest of them; null when there is none.`,
  };
}
