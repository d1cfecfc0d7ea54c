import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Coordinate } from './lookup.ts';

/** One layer that the two read paths answer differently at a place. */
export interface Disagreement extends Coordinate {
  readonly key: string;
  /** Answers as JSON. */
  readonly indexed: string;
  readonly reference: string;
  /** Ground metres to where the reference answer changes; null when it is farther than the search reaches. */
  readonly boundaryDistanceM: number | null;
}

/** What a comparison of the read paths found. */
export interface CellComparison {
  readonly places: number;
  /** Answers compared. */
  readonly answers: number;
  readonly disagreements: number;
  /** Those of them that rounding does not explain. */
  readonly wrong: number;
  /** The first of both kinds, wrong ones before the others. */
  readonly told: readonly Disagreement[];
}

/** Stored vertices are rounded to centimetres: this near to a boundary both answers are right. Ground metres. */
export const ROUNDING_M = 0.02;

/** A disagreement that rounding does not explain. */
export function isReal({ boundaryDistanceM }: Disagreement): boolean {
  return boundaryDistanceM === null || boundaryDistanceM > ROUNDING_M;
}

/** What crosses from the command to the worker `verify-cells`. */
export interface VerifyTask {
  /** Of the snapshot. */
  readonly folder: string;
  readonly answers: Catalogue['answers'];
  readonly places: number;
  /** The same seed gives the same places. */
  readonly seed: number;
}

/** Posted while it works: places compared so far. */
export interface VerifyProgress {
  readonly done: number;
}
