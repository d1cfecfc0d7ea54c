/** What a lookup needs to know of a kind of answer. To add a kind, write one file beside this one and a line in `kinds.ts`. */
import type { Attribute } from '../../geopackage/attribute.ts';
import { unknownHere, type LayerAnswer } from './layer-answer.ts';
import type { MemberDefinition } from '../../../src/catalogue/definition.ts';
import type { Hit, PlaceView } from '../views/view.ts';
import type { FeatureChoice } from '../cells/feature-choice.ts';
import { memberValues } from './member-value.ts';

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

/** For answers by the feature at the place itself. */
export function readingAtPlace(dataSet: string, fields: readonly string[]): Reading {
  return { dataSet, reachM: 0, nearestOnly: false, fields, readsNearestOfMany: false };
}

/** For answers by the feature at the place itself: where none counts, an unclear one makes "nothing here" unknown. */
export function unknownWhereUnclear(
  given: LayerAnswer,
  { view, table }: { readonly view: PlaceView; readonly table: string },
): LayerAnswer {
  return given.distanceM === null && view.near(table, 0).length > 0 ? unknownHere : given;
}

/** For answers by the feature at the place itself: they change at the edge of any feature. */
export function nearestEdgeM(view: PlaceView, { dataSet }: { readonly dataSet: string }, searchM: number): number {
  let nearestM = Infinity;
  for (const { edgeDistanceM } of view.edges(dataSet, searchM)) nearestM = Math.min(nearestM, edgeDistanceM);
  return nearestM;
}

/**
 * For answers by the feature at the place itself: the first that counts, else the first unclear one. Where there is none of either, `deciding` is told
 * of one that is only shown.
 */
export function decidingAtPlace(
  view: PlaceView,
  tables: TablesRead,
  { given, deciding }: { readonly given: LayerAnswer; readonly deciding?: Members | undefined },
): Deciding {
  if (given.distanceM === null && deciding === undefined) return nothingDecides;
  const hits = hitsAtPlace(view, tables);
  const [first] = hits;
  return {
    distanceM: given.distanceM,
    others: Math.max(0, hits.length - 1),
    feature: deciding && (first ? memberValues(first, deciding) : null),
  };
}

type Members = Readonly<Record<string, MemberDefinition>>;

/** Of an answer whose definition asks for no attributes. */
export const nothingDecides: Deciding = { distanceM: null, others: 0, feature: undefined };

function hitsAtPlace(view: PlaceView, { dataSet, unclear, shown }: TablesRead): readonly Hit[] {
  const own = view.has(dataSet) ? view.near(dataSet, 0) : NONE;
  if (own.length > 0) return own;
  const doubtful = unclear === null ? NONE : view.near(unclear, 0);
  return doubtful.length > 0 || shown === null ? doubtful : view.near(shown, 0);
}

const NONE: readonly Hit[] = [];
