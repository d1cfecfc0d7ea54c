import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Coordinate } from './lookup.ts';

/** One layer that the two read paths answer differently at a place. */
export interface Disagreement extends Coordinate {
  readonly key: string;
  /** Answers as JSON. */
  readonly indexed: string;
  readonly reference: string;
  /** Ground metres to where the reference answer changes; null when it is beyond the search radius. */
  readonly boundaryDistanceM: number | null;
}

/** Result of a comparison of the read paths. */
export interface CellComparison {
  readonly places: number;
  /** Answers compared. */
  readonly answers: number;
  readonly disagreements: number;
  /** Differences that rounding does not explain. */
  readonly wrong: number;
  /** The first differences of both kinds, wrong ones before rounding. */
  readonly told: readonly Disagreement[];
}

/**
 * Distance from a boundary within which both answers are right, because stored vertices are rounded to centimetres.
 * Ground metres.
 */
export const ROUNDING_M = 0.02;

/** Says whether rounding does not explain the disagreement. */
export function isReal({ boundaryDistanceM }: Disagreement): boolean {
  return boundaryDistanceM === null || boundaryDistanceM > ROUNDING_M;
}

/** Task from the command to the worker `verify-cells`. */
export interface VerifyTask {
  /** Of the snapshot. */
  readonly folder: string;
  readonly answers: Catalogue['answers'];
  readonly places: number;
  /** The same seed gives the same places. */
  readonly seed: number;
}

/** Progress that the worker posts: places compared so far. */
export interface VerifyProgress {
  readonly done: number;
}
