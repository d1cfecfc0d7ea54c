import type { LayerState } from '../../../src/messages/wire/full-lookup.ts';
import type { LayerValue } from '../../../src/messages/wire/lookup.ts';
import type { PlaceView } from '../views/view.ts';

/** One layer's answer at a place, with its state and distance. */
export class LayerAnswer {
  readonly value: LayerValue;
  readonly state: LayerState;
  /** Ground metres to the nearest of the features that give the value; null when none was found. */
  readonly distanceM: number | null;
  #json: string | undefined;

  constructor(value: LayerValue, state: LayerState, distanceM: number | null) {
    this.value = value;
    this.state = state;
    this.distanceM = distanceM;
  }

  /** JSON of the value, written once, because most answers are used again and again. */
  get json(): string {
    return (this.#json ??= JSON.stringify(this.value));
  }
}

/** The answer when a feature is there but its value is unknown. */
export const unknownHere = new LayerAnswer(null, 'unavailable', 0);
export const unavailable = new LayerAnswer(null, 'unavailable', null);
export const notCovered = new LayerAnswer(null, 'no_coverage', null);

/** The answer "no" of a layer, for `nothingFound`. */
export function absent(no: LayerValue): LayerAnswer {
  return new LayerAnswer(no, 'absent', null);
}

/**
 * Returns the answer when no feature was found: `no` where the coverage includes the place and `withinM` ground metres
 * around it, otherwise null.
 */
export function nothingFound(view: PlaceView, dataSet: string, no: LayerAnswer, withinM = 0): LayerAnswer {
  return view.covers(dataSet, withinM) ? no : notCovered;
}
