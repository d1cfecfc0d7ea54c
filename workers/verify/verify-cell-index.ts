/** Compares the cell index of a snapshot with the reference path on a sample of places. */
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { isReal, type CellComparison, type Disagreement } from '../../src/messages/verify.ts';
import { seededRandom } from './seeded-random.ts';
import type { Snapshot } from '../geopackage/snapshot.ts';
import type { Coordinate } from '../../src/messages/lookup.ts';
import { project } from '../geopackage/lambert.ts';
import { referenceViews } from '../engine/views/reference-view.ts';
import { cellView } from '../engine/views/cell-view.ts';
import { agree, compareAt } from './compare.ts';
import { neededFromIndex } from '../engine/kinds/indexed-data-sets.ts';
import { openCells, readDirectory } from '../engine/cells/open.ts';
import { placeKinds, placesOf, type PlaceKind } from './sample-places.ts';

/** A quarter each: at addresses, anywhere, within a metre of a boundary, and within a metre of a distance at which an answer changes. */
const SHARE: Readonly<Record<PlaceKind, number>> = { address: 0.25, random: 0.25, boundary: 0.25, limit: 0.25 };

/** Most disagreements of a kind that are reported; the others are only counted. */
const MOST_TOLD = 50;

/** Most places whose features are read together. */
const MOST_IN_GROUP = 256;

interface VerifyOptions {
  readonly answers: Catalogue['answers'];
  /** Compares the evidence too, which takes ten times as long. */
  readonly withEvidence: boolean;
  readonly places: number;
  /** The same seed gives the same places. */
  readonly seed: number;
  readonly onPlaces?: (done: number) => void;
}

/** @throws Error when the snapshot has no cell index, or a damaged one. */
export function verifyCellIndex(
  snapshot: Snapshot,
  { answers, withEvidence, places, seed, onPlaces = () => undefined }: VerifyOptions,
): CellComparison {
  if (!snapshot.manifest.cells) throw new Error('the snapshot has no cell index: import the layers again');
  const needed = neededFromIndex(answers, snapshot);
  const cells = openCells(snapshot, { directory: readDirectory(snapshot), needed });
  const found: Disagreement[] = [];
  let compared = 0;
  for (const group of compactGroups(drawPlaces(snapshot, { answers, places, seed }), MOST_IN_GROUP)) {
    const references = referenceViews(snapshot, group.map(project));
    for (const [i, at] of group.entries()) {
      onPlaces(++compared);
      const isSame = agree(cellView(snapshot, cells, project(at)), references[i]!, { answers, withEvidence });
      if (!isSame) found.push(...compareAt(snapshot, cells, { answers, at, withEvidence }));
    }
  }
  const [wrong, rounding] = [found.filter(isReal), found.filter((one) => !isReal(one))];
  return {
    places: compared,
    answers: compared * answers.length,
    disagreements: found.length,
    wrong: wrong.length,
    told: [...wrong.slice(0, MOST_TOLD), ...rounding.slice(0, MOST_TOLD)],
  };
}

function drawPlaces(
  snapshot: Snapshot,
  { answers, places, seed }: Pick<VerifyOptions, 'answers' | 'places' | 'seed'>,
): Coordinate[] {
  const random = seededRandom(seed);
  return placeKinds.flatMap((kind) => {
    const place = placesOf(snapshot, kind, { answers, random });
    return Array.from({ length: Math.ceil(places * SHARE[kind]) }, place);
  });
}

/**
 * Yields the places in groups of at most `most` neighbours. Halves the places across the longer side until they are few
 * enough.
 */
export function* compactGroups(places: readonly Coordinate[], most: number): Generator<readonly Coordinate[]> {
  if (places.length <= most) {
    if (places.length > 0) yield places;
    return;
  }
  // At Ontario's latitudes a degree of longitude is about 0.7 of one of latitude, which is exact enough to choose a
  // side.
  const axis = spread(places, 'lon') * 0.7 > spread(places, 'lat') ? 'lon' : 'lat';
  const sorted = places.toSorted((a, b) => a[axis] - b[axis]);
  const middle = sorted.length >> 1;
  yield* compactGroups(sorted.slice(0, middle), most);
  yield* compactGroups(sorted.slice(middle), most);
}

function spread(places: readonly Coordinate[], axis: keyof Coordinate): number {
  let [least, most] = [Infinity, -Infinity];
  for (const place of places) {
    least = Math.min(least, place[axis]);
    most = Math.max(most, place[axis]);
  }
  return most - least;
}
