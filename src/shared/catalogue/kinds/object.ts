import type { Described } from '../../schema.ts';
import { members } from '../fields.ts';
import { answerSchema, fieldsOf, meanings, memberSchemas, objectValueSchema, type CatalogueKind } from './kind.ts';

const definition = answerSchema('object', { members }, 'Several attributes of the feature at the point.');
export type ObjectAnswer = Described<typeof definition>;

export const objectKind: CatalogueKind<ObjectAnswer> = {
  definition,
  fieldsUsed: (answer) => fieldsOf(answer.members),
  valueSchema: (answer) => objectValueSchema(memberSchemas(answer.members)),
  isNullWhereNone: true,
  describe: (answer) => ({ members: meanings(answer.members) }),
};
