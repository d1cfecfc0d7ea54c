import { Type } from 'typebox';
import type { Described, Schema } from '../../schema.ts';
import { codes, text } from '../fields.ts';
import { answerSchema, partsOfArea, valuesOf, type CatalogueKind } from './kind.ts';

const definition = answerSchema(
  'value',
  { field: text, codes: Type.Optional(codes) },
  'One attribute of the feature at the point, as text.',
);
export type ValueAnswer = Described<typeof definition>;

export const valueKind: CatalogueKind<ValueAnswer> = {
  definition,
  fieldsUsed: ({ field }) => [field],
  coded: (answer) => [answer],
  valueSchema,
  areaMembers: (answer) => partsOfArea(valueSchema(answer)),
  isNullWhereNone: true,
  describe: (answer) => ({ values: valuesOf(answer) }),
};

function valueSchema(answer: ValueAnswer): Schema {
  const values = valuesOf(answer);
  return { type: ['string', 'null'], ...(values ? { enum: [...values, null] } : {}) };
}
