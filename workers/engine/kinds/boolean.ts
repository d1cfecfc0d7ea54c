import type { BooleanAnswer } from '../../../src/catalogue/definition.ts';
import { absent, LayerAnswer, nothingFound } from './layer-answer.ts';
import { decidingAtPlace, nearestEdgeM, readingAtPlace, unknownWhereUnclear, type AnswerKind } from './kind.ts';

const yes = new LayerAnswer(true, 'present', 0);
const no = absent(false);

/** True inside or on a feature. */
export const booleanKind: AnswerKind<BooleanAnswer> = {
  answer: (view, dataSet) => (view.near(dataSet, 0).length > 0 ? yes : nothingFound(view, dataSet, no)),
  nearestChangeM: nearestEdgeM,
  alwaysNeedsCoverage: false,
  knownAroundM: () => 0,
  readings: (dataSet) => [readingAtPlace(dataSet, [])],
  besideUnclear: unknownWhereUnclear,
  deciding: (view, tables, { given }) => decidingAtPlace(view, tables, { given }),
  labelField: () => undefined,
};
