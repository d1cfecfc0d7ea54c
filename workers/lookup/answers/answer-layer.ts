import type { AnswerDefinition, DataSetDefinition } from '../../../src/shared/catalogue/definition.ts';
import { kindOf } from '../kinds/kinds.ts';
import type { PlaceView } from '../views/view.ts';
import { unavailable, type LayerAnswer } from './layer-answer.ts';

/**
 * Answers one layer. `absent` requires a data set that is loaded and covers the place. Otherwise the value is null and
 * the state says why, so that a missing file is never answered with "no".
 */
export function answerLayer(
  view: PlaceView,
  dataSet: DataSetDefinition,
  answer: AnswerDefinition,
  kind = kindOf(answer),
): LayerAnswer {
  return view.has(dataSet.id) ? kind.answer(view, dataSet.id, answer) : unavailable;
}
