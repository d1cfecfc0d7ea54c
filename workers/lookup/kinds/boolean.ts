import type { BooleanAnswer } from '../../../src/shared/catalogue/definition.ts';
import { absent, LayerAnswer, nothingFound } from '../answers/layer-answer.ts';
import { distancesToEdges, readingAtPlace, type AnswerKind } from './kind.ts';

const yes = new LayerAnswer(true, 'present', 0);
const no = absent(false);

/** True inside or on a feature. */
export const booleanKind: AnswerKind<BooleanAnswer> = {
  answer: (view, dataSet) => (view.near(dataSet, 0).length > 0 ? yes : nothingFound(view, dataSet, no)),
  distancesOfChange: distancesToEdges,
  alwaysNeedsCoverage: false,
  knownAroundM: () => 0,
  readings: (dataSet) => [readingAtPlace(dataSet, [])],
  labelField: () => undefined,
};
