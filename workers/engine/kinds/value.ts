import type { ValueAnswer } from '../../../src/catalogue/definition.ts';
import { AnswersByFeature } from './answers-by-feature.ts';
import { decidingAtPlace, nearestEdgeM, readingAtPlace, unknownWhereUnclear, type AnswerKind } from './kind.ts';
import { textValue } from './member-value.ts';

/** Shared with areas, whose parts have the same values. */
export const valueAnswers = new AnswersByFeature<ValueAnswer>((hit, answer) => textValue(hit, answer));

/** One attribute of the feature at the point, as text. */
export const valueKind: AnswerKind<ValueAnswer> = {
  answer: (view, dataSet, answer) => valueAnswers.at(view, dataSet, answer),
  nearestChangeM: nearestEdgeM,
  alwaysNeedsCoverage: false,
  knownAroundM: () => 0,
  readings: (dataSet, { field }) => [readingAtPlace(dataSet, [field])],
  besideUnclear: unknownWhereUnclear,
  deciding: (view, tables, { given }) => decidingAtPlace(view, tables, { given }),
  labelField: ({ field }) => field,
};
