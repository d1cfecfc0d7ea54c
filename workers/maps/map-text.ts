/** Writes `geometry` of an answer: what is near, and what a map without another map beneath it needs besides. */
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import type { Coordinate } from '../../src/messages/lookup.ts';
import type { ServedSnapshot } from '../engine/served-snapshot.ts';
import { dataSetOrder, nearGeometry, nearJson, RADIUS_M, type MapPlace } from './near-geometry.ts';
import { notReached } from './not-reached.ts';

/** Farther than this nobody looks for a neighbour. */
const ADDRESSES_WITHIN_M = 250;

interface Shown {
  readonly answers: Catalogue['answers'];
  /** `dataSetOrder` of the answers, where it is known. */
  readonly order: ReadonlyMap<string, number> | undefined;
}

/** Writes a `NearGeometry` with what is near alone. */
export function nearText({ snapshot, cells }: ServedSnapshot, at: MapPlace, { answers, order }: Shown): string {
  const outlines = cells?.outlines;
  if (!outlines) return JSON.stringify(nearGeometry(snapshot, at, answers));
  return nearJson(outlines, at, order ?? dataSetOrder(answers));
}

/** Writes the same with the addresses around, and where the data of hazards do not reach. */
export function mapText(from: ServedSnapshot, at: MapPlace & Coordinate, shown: Shown): string {
  const withinM = Math.min(at.radiusM ?? RADIUS_M, ADDRESSES_WITHIN_M);
  const besides = {
    addresses: from.gazetteer?.around(at, withinM) ?? [],
    notReached: notReached(from.snapshot, at, shown.answers),
  };
  return `${nearText(from, at, shown).slice(0, -1)},${JSON.stringify(besides).slice(1)}`;
}
