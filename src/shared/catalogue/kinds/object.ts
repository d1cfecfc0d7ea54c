import type { Described, Schema } from '../../schema.ts';
import { members } from '../fields.ts';
import {
  answerSchema,
  fieldsOf,
  meanings,
  memberSchemas,
  objectValueSchema,
  partsOfArea,
  type CatalogueKind,
} from './kind.ts';

const definition = answerSchema('object', { members }, 'Several attributes of the feature at the point.');
export type ObjectAnswer = Described<typeof definition>;

export const objectKind: CatalogueKind<ObjectAnswer> = {
  definition,
  fieldsUsed: (answer) => fieldsOf(answer.members),
  valueSchema,
  areaMembers: (answer) => partsOfArea(valueSchema(answer)),
  isNullWhereNone: true,
  describe: (answer) => ({ members: meanings(answer.members) }),
};

function valueSchema({ members: own }: ObjectAnswer): Schema {
  return objectValueSchema(memberSchemas(own));
}
