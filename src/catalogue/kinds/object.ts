import type { Described, Schema } from '../../schema.ts';
import { members } from '../fields.ts';
import {
  answerSchema,
  deciding,
  fieldsOf,
  meanings,
  memberSchemas,
  objectValueSchema,
  partsOfArea,
  readsOf,
  type CatalogueKind,
} from './kind.ts';

const definition = answerSchema(
  'object',
  { members, deciding },
  'Several attributes of the feature at the point. `deciding`: more of its attributes, for the evidence; also of a feature there that does not count.',
);
export type ObjectAnswer = Described<typeof definition>;

export const objectKind: CatalogueKind<ObjectAnswer> = {
  definition,
  fieldsUsed: (answer) => [...fieldsOf(answer.members), ...fieldsOf(answer.deciding ?? {})],
  coded: (answer) => [...readsOf(answer.members), ...readsOf(answer.deciding ?? {})],
  valueSchema,
  areaMembers: (answer) => partsOfArea(valueSchema(answer)),
  isNullWhereNone: true,
  describe: (answer) => ({ members: meanings(answer.members) }),
};

function valueSchema({ members: own }: ObjectAnswer): Schema {
  return objectValueSchema(memberSchemas(own));
}
