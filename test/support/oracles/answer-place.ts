import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { LayerEvidence } from '../../../src/messages/wire/full-lookup.ts';
import type { LayerValue } from '../../../src/messages/wire/lookup.ts';
import { answerLayer, answerKinds, kindOf } from '../../../workers/engine/kinds/kinds.ts';
import { evidenceOf } from '../../../workers/engine/answers/evidence.ts';
import type { PlaceView } from '../../../workers/engine/views/view.ts';

/** Returns every layer's value, by key, with its evidence. `uncertaintyM`: expected error of the position, metres. */
export function answerPlace(
  view: PlaceView,
  answers: Catalogue['answers'],
  uncertaintyM: number,
  kinds = answerKinds,
): { layers: Record<string, LayerValue>; evidence: Record<string, LayerEvidence> } {
  const layers: Record<string, LayerValue> = {};
  const evidence: Record<string, LayerEvidence> = {};
  for (const { dataSet, answer } of answers) {
    const kind = kindOf(answer, kinds);
    const given = answerLayer(view, dataSet, answer, kind);
    layers[answer.key] = given.value;
    evidence[answer.key] = evidenceOf(view, { dataSet, answer, kind, given, uncertaintyM });
  }
  return { layers, evidence };
}
