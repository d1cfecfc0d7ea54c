import type { ValueAnswer } from '../../../src/catalogue/definition.ts';
import { AnswersByFeature } from './answers-by-feature.ts';
import { decidingAtPlace, nearestEdgeM, readingAtPlace, unknownWhereUnclear, type AnswerKind } from './kind.ts';
import { textValue } from './member-value.ts';

const answers = new AnswersByFeature<ValueAnswer>((hit, answer) => textValue(hit, answer));

/** One attribute of the feature at the point, as text. */
export const valueKind: AnswerKind<ValueAnswer> = {
  answer: (view, dataSet, answer) => answers.at(view, dataSet, answer),
  area: (view, dataSet, answer) => answers.parts(view, dataSet, answer),
  nearestChangeM: nearestEdgeM,
  alwaysNeedsCoverage: false,
  knownAroundM: () => 0,
  readings: (dataSet, { field }) => [readingAtPlace(dataSet, [field])],
  besideUnclear: unknownWhereUnclear,
  deciding: (view, tables, { given }) => decidingAtPlace(view, tables, { given }),
  labelField: ({ field }) => field,
};
