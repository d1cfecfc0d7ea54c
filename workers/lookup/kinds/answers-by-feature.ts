import type { LayerValue } from '../../../src/shared/wire/lookup.ts';
import { absent, LayerAnswer, nothingFound, unknownHere } from '../answers/layer-answer.ts';
import type { Hit, PlaceView } from '../views/view.ts';

const nothing = absent(null);

/**
 * Answers that rest on nothing but the attributes of the feature at a place. They are kept with the attributes, which the cell index keeps
 * for many features, so that most answers are found, not made (decision 0008).
 */
export class AnswersByFeature<A extends object> {
  readonly #valueOf: (hit: Hit, answer: A) => LayerValue;
  readonly #known = new WeakMap<A, WeakMap<Hit['attributes'], LayerAnswer>>();

  /** `valueOf` gives null where the feature is there and its value is not known. */
  constructor(valueOf: (hit: Hit, answer: A) => LayerValue) {
    this.#valueOf = valueOf;
  }

  at(view: PlaceView, dataSet: string, answer: A): LayerAnswer {
    const hit = view.near(dataSet, 0)[0];
    if (!hit) return nothingFound(view, dataSet, nothing);
    let answers = this.#known.get(answer);
    if (answers === undefined) this.#known.set(answer, (answers = new WeakMap()));
    let given = answers.get(hit.attributes);
    if (given === undefined) {
      const value = this.#valueOf(hit, answer);
      given = value === null ? unknownHere : new LayerAnswer(value, 'present', 0);
      answers.set(hit.attributes, given);
    }
    return given;
  }
}
