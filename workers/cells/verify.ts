/** Compares the cell index of a snapshot with the reference path on a sample of places. */
import type { Catalogue } from '../../src/catalogue/read-definitions.ts';
import type { CellComparison, Disagreement } from '../../src/contract/verify.ts';
import { seededRandom } from '../../src/seeded-random.ts';
import type { Snapshot } from '../snapshot.ts';
import { compareAt } from './compare.ts';
import { indexedDataSets } from './indexed-data-sets.ts';
import { openCells, readDirectory } from './open.ts';
import { placeKinds, placesOf, type PlaceKind } from './sample-places.ts';

/** Of each four places two are addresses, one is anywhere, one lies within a metre of a boundary. */
const SHARE: Readonly<Record<PlaceKind, number>> = { address: 0.5, random: 0.25, boundary: 0.25 };

/** Disagreements that are told of; the others are only counted. */
const MOST_TOLD = 50;

export interface VerifyOptions {
  readonly answers: Catalogue['answers'];
  readonly places: number;
  /** The same seed gives the same places. */
  readonly seed: number;
  readonly onPlaces?: (done: number) => void;
}

/** @throws Error when the snapshot has no cell index, or one that is damaged. */
export function verifyCellIndex(
  snapshot: Snapshot,
  { answers, places, seed, onPlaces = () => undefined }: VerifyOptions,
): CellComparison {
  if (!snapshot.manifest.cells) throw new Error('the snapshot has no cell index: import the layers again');
  const needed = indexedDataSets(answers, snapshot.manifest);
  const cells = openCells(snapshot, { directory: readDirectory(snapshot), needed });
  const random = seededRandom(seed);
  const told: Disagreement[] = [];
  let [compared, disagreements] = [0, 0];
  for (const kind of placeKinds) {
    const place = placesOf(snapshot, kind, random);
    for (let left = Math.ceil(places * SHARE[kind]); left > 0; left--) {
      const found = compareAt(snapshot, cells, { answers, at: place() });
      disagreements += found.length;
      told.push(...found.slice(0, MOST_TOLD - told.length));
      onPlaces(++compared);
    }
  }
  return { places: compared, answers: compared * answers.length, disagreements, told };
}
