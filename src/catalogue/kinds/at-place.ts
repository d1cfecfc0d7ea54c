/** The kinds whose answer is the feature at the place itself: whether there is one, one of its attributes, several of them. */
import type { Described, Schema } from '../../schema.ts';
import {
  shareOfArea,
  answerSchema,
  type CatalogueKind,
  partsOfArea,
  valuesOf,
  deciding,
  fieldsOf,
  meanings,
  memberSchemas,
  objectValueSchema,
  readsOf,
} from './kind.ts';
import { Type } from 'typebox';
import { codes, text, members } from '../fields.ts';

const booleanDefinition = answerSchema('boolean', {}, 'True inside or on a feature.');
export type BooleanAnswer = Described<typeof booleanDefinition>;

export const booleanKind: CatalogueKind<BooleanAnswer> = {
  definition: booleanDefinition,
  fieldsUsed: () => [],
  valueSchema: () => ({ type: ['boolean', 'null'] }),
  areaMembers: () => ({ share: shareOfArea }),
  isNullWhereNone: false,
  describe: () => ({ values: [true, false] }),
};

const valueDefinition = answerSchema(
  'value',
  { field: text, codes: Type.Optional(codes) },
  'One attribute of the feature at the point, as text.',
);
export type ValueAnswer = Described<typeof valueDefinition>;

export const valueKind: CatalogueKind<ValueAnswer> = {
  definition: valueDefinition,
  fieldsUsed: ({ field }) => [field],
  coded: (answer) => [answer],
  valueSchema: textSchema,
  areaMembers: (answer) => partsOfArea(textSchema(answer)),
  isNullWhereNone: true,
  describe: (answer) => ({ values: valuesOf(answer) }),
};

function textSchema(answer: ValueAnswer): Schema {
  const values = valuesOf(answer);
  return { type: ['string', 'null'], ...(values ? { enum: [...values, null] } : {}) };
}

const objectDefinition = answerSchema(
  'object',
  { members, deciding },
  'Several attributes of the feature at the point. `deciding`: more of its attributes, for the evidence; also of a feature there that does not count.',
);
export type ObjectAnswer = Described<typeof objectDefinition>;

export const objectKind: CatalogueKind<ObjectAnswer> = {
  definition: objectDefinition,
  fieldsUsed: (answer) => [...fieldsOf(answer.members), ...fieldsOf(answer.deciding ?? {})],
  coded: (answer) => [...readsOf(answer.members), ...readsOf(answer.deciding ?? {})],
  valueSchema: membersSchema,
  areaMembers: (answer) => partsOfArea(membersSchema(answer)),
  isNullWhereNone: true,
  describe: (answer) => ({ members: meanings(answer.members) }),
};

function membersSchema({ members: own }: ObjectAnswer): Schema {
  return objectValueSchema(memberSchemas(own));
}
