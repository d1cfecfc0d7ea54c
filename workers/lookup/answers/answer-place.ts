import type { Catalogue } from '../../../src/shared/catalogue/catalogue.ts';
import type { LayerEvidence } from '../../../src/shared/wire/full-lookup.ts';
import type { LayerValue } from '../../../src/shared/wire/lookup.ts';
import type { PlaceView } from '../views/view.ts';
import { answerKinds, kindOf } from '../kinds/kinds.ts';
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

/**
 * Makes a function that writes the JSON of every layer's value at a place, as `JSON.stringify` would write `layers` of
 * `answerPlace`. It joins existing texts instead of building the object first. Keys need no escapes (layers/schema).
 */
export function layersWriter(answers: Catalogue['answers'], kinds = answerKinds): (view: PlaceView) => string {
  const members = answers.map(({ dataSet, answer }, i) => ({
    ...{ dataSet, answer, kind: kindOf(answer, kinds) },
    name: `${i === 0 ? '' : ','}"${answer.key}":`,
  }));
  return (view) => {
    let json = '{';
    for (const { name, dataSet, answer, kind } of members) json += name + answerLayer(view, dataSet, answer, kind).json;
    return `${json}}`;
  };
}
