import type { AnswerDefinition, DataSetDefinition } from '../../../src/catalogue/definition.ts';
import { booleanKind, valueKind, objectKind } from './at-place.ts';
import { countKind } from './count.ts';
import { type AnswerKind, unavailable, type LayerAnswer } from './kind.ts';
import { proximityKind } from './proximity.ts';
import { sideTable } from '../../../src/catalogue/side-tables.ts';
import type { PlaceView } from '../views/view.ts';

type AnswerKinds = {
  readonly [Kind in AnswerDefinition['kind']]: AnswerKind<Extract<AnswerDefinition, { kind: Kind }>>;
};

/** Every kind of answer that a lookup knows (src/catalogue/kinds has what the catalogue knows of each). */
export const answerKinds: AnswerKinds = {
  boolean: booleanKind,
  value: valueKind,
  object: objectKind,
  proximity: proximityKind,
  count: countKind,
};

/** The kind of an answer. A lookup finds it once for each layer, when its thread starts. */
export function kindOf(answer: AnswerDefinition, kinds: AnswerKinds = answerKinds): AnswerKind<AnswerDefinition> {
  return kinds[answer.kind];
}

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
  const table = dataSet.counts === undefined ? null : sideTable(dataSet.id, 'unclear');
  if (table === null || !view.has(table)) return given;
  return kind.besideUnclear?.(given, { view, table }, answer) ?? given;
}
