import type { LayerState } from '../../../src/shared/wire/full-lookup.ts';
import type { LayerValue } from '../../../src/shared/wire/lookup.ts';
import type { PlaceView } from '../views/view.ts';

/** One layer's answer at a place, with what it rests on. */
export class LayerAnswer {
  readonly value: LayerValue;
  readonly state: LayerState;
  /** Ground metres to the nearest feature that counts; null when none was found. */
  readonly distanceM: number | null;
  #json: string | undefined;

  constructor(value: LayerValue, state: LayerState, distanceM: number | null) {
    this.value = value;
    this.state = state;
    this.distanceM = distanceM;
  }

  /** The value's JSON, written once: most answers are given again and again. */
  get json(): string {
    return (this.#json ??= JSON.stringify(this.value));
  }
}

/** A feature is there, and its value is not known. */
export const unknownHere = new LayerAnswer(null, 'unavailable', 0);
export const unavailable = new LayerAnswer(null, 'unavailable', null);
export const notCovered = new LayerAnswer(null, 'no_coverage', null);

/** The answer "no" of a layer, for `nothingFound`. */
export function absent(no: LayerValue): LayerAnswer {
  return new LayerAnswer(no, 'absent', null);
}

/** The answer when no feature was found: `no` where the data set knows the place and `withinM` ground metres around it, else null. */
export function nothingFound(view: PlaceView, dataSet: string, no: LayerAnswer, withinM = 0): LayerAnswer {
  return view.covers(dataSet, withinM) ? no : notCovered;
}
