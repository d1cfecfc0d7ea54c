import type { Described } from '../../schema.ts';
import { answerSchema, type CatalogueKind } from './kind.ts';

const definition = answerSchema('boolean', {}, 'True inside or on a feature.');
export type BooleanAnswer = Described<typeof definition>;

export const booleanKind: CatalogueKind<BooleanAnswer> = {
  definition,
  fieldsUsed: () => [],
  valueSchema: () => ({ type: ['boolean', 'null'] }),
  isNullWhereNone: false,
  describe: () => ({ values: [true, false] }),
};
