import type { LayerValue } from '../../../src/messages/wire/lookup.ts';
import { absent, LayerAnswer, nothingFound, unknownHere } from './layer-answer.ts';
import type { Hit, PlaceView } from '../views/view.ts';

const nothing = absent(null);

type WithAttributes = Pick<Hit, 'attributes'>;

/**
 * Answers that rest on nothing but the attributes of the feature at a place. They are kept with the attributes, which the cell index keeps
 * for many features, so that most answers are found, not made (decision 0006).
 */
export class AnswersByFeature<A extends object> {
  readonly #valueOf: (hit: WithAttributes, answer: A) => LayerValue;
  readonly #known = new WeakMap<A, WeakMap<Hit['attributes'], LayerAnswer>>();

  /** `valueOf` gives null where the feature is there and its value is not known. */
  constructor(valueOf: (hit: WithAttributes, answer: A) => LayerValue) {
    this.#valueOf = valueOf;
  }

  at(view: PlaceView, dataSet: string, answer: A): LayerAnswer {
    const hit = view.near(dataSet, 0)[0];
    return hit ? this.of(hit, answer) : nothingFound(view, dataSet, nothing);
  }

  /** Returns the answer that a feature gives. */
  of(hit: WithAttributes, answer: A): LayerAnswer {
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
