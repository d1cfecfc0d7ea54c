import type { AnswerDefinition, DataSetDefinition } from '../../../src/catalogue/definition.ts';
import { sideTable } from '../../../src/catalogue/side-tables.ts';
import type { AnswerKind } from '../kinds/kind.ts';
import { kindOf } from '../kinds/kinds.ts';
import type { PlaceView } from '../views/view.ts';
import { unavailable, type LayerAnswer } from '../kinds/layer-answer.ts';

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
  if (!view.has(dataSet.id)) return unavailable;
  const given = kind.answer(view, dataSet.id, answer);
  // Most definitions count every feature.
  return dataSet.counts === undefined ? given : besideUnclear(given, view, { dataSet, answer, kind });
}

interface Asked {
  readonly dataSet: DataSetDefinition;
  readonly answer: AnswerDefinition;
  readonly kind: AnswerKind<AnswerDefinition>;
}

function besideUnclear(given: LayerAnswer, view: PlaceView, { dataSet, answer, kind }: Asked): LayerAnswer {
  const table = sideTable(dataSet.id, 'unclear');
  return view.has(table) ? (kind.besideUnclear?.(given, { view, table }, answer) ?? given) : given;
}
