import type { LayerState, LayerValue } from '../../src/contract/lookup.ts';
import type { PlaceView } from '../reader/view.ts';

/** One layer's answer at a place, with what it rests on. */
export interface LayerAnswer {
  readonly value: LayerValue;
  readonly state: LayerState;
  /** Ground metres to the nearest feature that counts; null when none was found. */
  readonly distanceM: number | null;
}

/** The answer when no feature was found: `no` where the data set knows the place, else null. */
export function nothingFound(view: PlaceView, dataSet: string, no: LayerValue): LayerAnswer {
  return view.covers(dataSet)
    ? { value: no, state: 'absent', distanceM: null }
    : { value: null, state: 'no_coverage', distanceM: null };
}
