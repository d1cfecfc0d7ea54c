import type { AreaValue } from '../../../src/messages/wire/area-lookup.ts';
import type { LayerValue } from '../../../src/messages/wire/lookup.ts';
import { absent, LayerAnswer, nothingFound, unknownHere } from './layer-answer.ts';
import type { AreaView } from '../../areas/area-view.ts';
import { sharesOf } from '../../areas/shares.ts';
import { usualValue } from '../../areas/usual-values.ts';
import type { Hit, PlaceView } from '../views/view.ts';

const nothing = absent(null);
const nowhere = usualValue({ parts: [], unknownShare: 0 });

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
    return hit ? this.#of(hit, answer) : nothingFound(view, dataSet, nothing);
  }

  /** Returns the shares of an area by value, the largest first. Features with the same value are one part. */
  parts(view: AreaView, dataSet: string, answer: A): AreaValue {
    const parts: { readonly value: LayerValue; readonly json: string; areaM2: number }[] = [];
    const absentM2 = view.covered(dataSet, (feature, areaM2) => {
      const { value, json } = this.#of(feature, answer);
      const part = parts.find((one) => one.json === json);
      if (part) part.areaM2 += areaM2;
      else if (value !== null) parts.push({ value, json, areaM2 });
    });
    parts.sort((a, b) => b.areaM2 - a.areaM2);
    const { of, unknown } = sharesOf([...parts.map(({ areaM2 }) => areaM2), absentM2], view.areaM2);
    if (unknown === 1) return null;
    if (of.at(-1) === 1) return nowhere;
    const shown = parts.map(({ value }, i) => ({ value, share: of[i]! })).filter(({ share }) => share > 0);
    return { parts: shown, unknownShare: unknown };
  }

  #of(hit: WithAttributes, answer: A): LayerAnswer {
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
