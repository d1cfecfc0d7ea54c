import type { AnswerDefinition, DataSetDefinition } from '../../../src/shared/catalogue/definition.ts';
import { kindOf } from '../kinds/kinds.ts';
import type { PlaceView } from '../views/view.ts';
import { unavailable, type LayerAnswer } from './layer-answer.ts';

/**
 * Answers one layer. `absent` needs a data set that is loaded and knows the place: otherwise the value is null and the state
 * says why, so that a missing file never reads as "no".
 */
export function answerLayer(
  view: PlaceView,
  dataSet: DataSetDefinition,
  answer: AnswerDefinition,
  kind = kindOf(answer),
): LayerAnswer {
  return view.has(dataSet.id) ? kind.answer(view, dataSet.id, answer) : unavailable;
}
