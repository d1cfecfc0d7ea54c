/** What a lookup needs to know of a kind of answer. To add a kind, write one file beside this one and a line in `kinds.ts`. */
import type { LayerState } from '../../../src/messages/wire/full-lookup.ts';
import type { LayerValue } from '../../../src/messages/wire/lookup.ts';
import type { PlaceView } from '../views/view.ts';
import type { Attribute } from '../../geopackage/attribute.ts';
import type { FeatureChoice } from '../cells/feature-choice.ts';

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

/** The features and attributes of one data set that an answer reads. */
export interface Reading extends FeatureChoice {
  readonly dataSet: string;
  /** Features farther away never matter. Ground metres. */
  readonly reachM: number;
  /** Rules may ask for features within these ground metres, where the index has them. */
  readonly keptWithinM?: number | undefined;
  /** The nearest feature alone decides, whatever its attributes, also the evidence. The index leaves out features that are the nearest nowhere. */
  readonly nearestOnly: boolean;
  readonly fields: readonly string[];
  /** Of many features within reach, the attributes of the nearest alone are read. */
  readonly readsNearestOfMany: boolean;
}

/** The tables of a data set that the snapshot has: of the features that count, and of those beside them. */
export interface TablesRead {
  readonly dataSet: string;
  readonly unclear: string | null;
  readonly shown: string | null;
}

/** The feature on which an answer rests, as the evidence tells of it. */
export interface Deciding {
  /** Ground metres to that feature; null where none counts. */
  readonly distanceM: number | null;
  /** How many more features are as near and count as that one does. */
  readonly others: number;
  /** Its attributes; undefined where the definition asks for none, null where no feature decides. */
  readonly feature: Readonly<Record<string, Attribute>> | null | undefined;
}

/** A kind of answer; `A` is its definition in `layers/`. */
export interface AnswerKind<A> {
  /** Answers at a place. The caller has checked that the snapshot holds the data set. */
  answer(view: PlaceView, dataSet: string, answer: A): LayerAnswer;
  /**
   * Ground metres from the place to the nearest edge, limit or radius at which the answer could be another; Infinity when there is none `searchM` beyond
   * its own reach.
   */
  nearestChangeM(view: PlaceView, asked: { readonly dataSet: string; readonly answer: A }, searchM: number): number;
  /** The answer needs the area that the data set knows even where features are found: a count does. */
  readonly alwaysNeedsCoverage: boolean;
  /** How far around a place the data set must know the land before "nothing found" means "no". Ground metres. */
  knownAroundM(answer: A): number;
  /** How far around a place every feature counts. Ground metres; 0, at the place alone, where a kind does not say. */
  searchedM?(answer: A): number;
  /** Everything the answer reads: its own data set first, then the partners. */
  readings(dataSet: string, answer: A): readonly Reading[];
  /** Ground metres from a feature at which the answer may change; none when it changes at the features' edges alone. */
  limitsM?(answer: A): readonly number[];
  /** The attribute by which a map labels the feature. */
  labelField(answer: A): string | undefined;
  /** Returns the answer where features of which nobody knows whether they count, in a table of their own, may change it. */
  besideUnclear?(given: LayerAnswer, at: { readonly view: PlaceView; readonly table: string }, answer: A): LayerAnswer;
  /** Returns the feature on which `given` rests, for the evidence: its distance and its attributes are of one feature. */
  deciding(view: PlaceView, tables: TablesRead, asked: { readonly answer: A; readonly given: LayerAnswer }): Deciding;
}

/** Of an answer whose definition asks for no attributes. */
export const nothingDecides: Deciding = { distanceM: null, others: 0, feature: undefined };
