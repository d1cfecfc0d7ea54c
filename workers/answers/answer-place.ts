import type { Catalogue } from '../../src/catalogue/read-definitions.ts';
import type { LayerEvidence, LayerValue } from '../../src/contract/lookup.ts';
import type { PlaceView } from '../reader/view.ts';
import { answerLayer } from './answer-layer.ts';
import { evidenceOf } from './evidence.ts';

/** Every layer's value, by key, in the catalogue's order; with `uncertaintyM` also what each rests on. */
export function answerPlace(
  view: PlaceView,
  answers: Catalogue['answers'],
  uncertaintyM: number | null,
): { layers: Record<string, LayerValue>; evidence: Record<string, LayerEvidence> } {
  const layers: Record<string, LayerValue> = {};
  const evidence: Record<string, LayerEvidence> = {};
  for (const { dataSet, answer } of answers) {
    const given = answerLayer(view, dataSet, answer);
    layers[answer.key] = given.value;
    if (uncertaintyM !== null) evidence[answer.key] = evidenceOf(view, { dataSet, answer, given, uncertaintyM });
  }
  return { layers, evidence };
}

/**
 * The JSON of every layer's value, as `JSON.stringify` would write `layers` of `answerPlace`: by putting together what is written already,
 * without building the object first. Keys need no escapes (layers/schema).
 */
export function layersJson(view: PlaceView, answers: Catalogue['answers']): string {
  let members = '';
  for (const { dataSet, answer } of answers) {
    members += `${members === '' ? '' : ','}"${answer.key}":${answerLayer(view, dataSet, answer).json}`;
  }
  return `{${members}}`;
}
