import type { Described } from '../../schema.ts';
import { shareOfArea } from './area-figures.ts';
import { answerSchema, type CatalogueKind } from './kind.ts';

const definition = answerSchema('boolean', {}, 'True inside or on a feature.');
export type BooleanAnswer = Described<typeof definition>;

export const booleanKind: CatalogueKind<BooleanAnswer> = {
  definition,
  fieldsUsed: () => [],
  valueSchema: () => ({ type: ['boolean', 'null'] }),
  areaMembers: () => ({ share: shareOfArea }),
  isNullWhereNone: false,
  describe: () => ({ values: [true, false] }),
};
