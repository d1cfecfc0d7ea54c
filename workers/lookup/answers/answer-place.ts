import type { Catalogue } from '../../../src/shared/catalogue/catalogue.ts';
import type { LayerEvidence, LayerValue } from '../../../src/shared/contract/lookup.ts';
import type { PlaceView } from '../views/view.ts';
import { answerLayer } from './answer-layer.ts';
import { evidenceOf } from './evidence.ts';

/**
 * Returns every layer's value, by key, in the catalogue's order, with its evidence. `uncertaintyM`: expected error of
 * the position, metres.
 */
export function answerPlace(
  view: PlaceView,
  answers: Catalogue['answers'],
  uncertaintyM: number,
): { layers: Record<string, LayerValue>; evidence: Record<string, LayerEvidence> } {
  const layers: Record<string, LayerValue> = {};
  const evidence: Record<string, LayerEvidence> = {};
  for (const { dataSet, answer } of answers) {
    const given = answerLayer(view, dataSet, answer);
    layers[answer.key] = given.value;
    evidence[answer.key] = evidenceOf(view, { dataSet, answer, given, uncertaintyM });
  }
  return { layers, evidence };
}

/**
 * Makes a function that writes the JSON of every layer's value at a place, as `JSON.stringify` would write `layers` of
 * `answerPlace`. It joins existing texts instead of building the object first. Keys need no escapes (layers/schema).
 */
export function layersWriter(answers: Catalogue['answers']): (view: PlaceView) => string {
  const members = answers.map((asked, i) => ({ ...asked, name: `${i === 0 ? '' : ','}"${asked.answer.key}":` }));
  return (view) => {
    let json = '{';
    for (const { name, dataSet, answer } of members) json += name + answerLayer(view, dataSet, answer).json;
    return `${json}}`;
  };
}
