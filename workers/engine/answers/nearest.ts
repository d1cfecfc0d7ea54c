import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { ProximityAnswer } from '../../../src/catalogue/definition.ts';
import { sideTable } from '../../../src/catalogue/side-tables.ts';
import { EDGE_SEARCH_M } from '../../../src/messages/edge-search.ts';
import { reachOf, type CellIndex } from '../cells/open.ts';
import type { Nearest } from '../feature.ts';
import { countingHits } from '../kinds/proximity.ts';
import type { Hit, PlaceView } from '../views/view.ts';

interface AskedOfPlace {
  readonly withinM: number;
  readonly uncertaintyM: number;
}

/** Tells how near the features of a layer are to a place that may be `uncertaintyM` away (`NearestOf`). */
export function nearestToPlace(
  view: PlaceView,
  cells: CellIndex | null,
  { dataSet, answer }: Catalogue['answers'][number],
  { withinM, uncertaintyM }: AskedOfPlace,
): Nearest | null {
  if (answer.kind !== 'proximity' || uncertaintyM > EDGE_SEARCH_M) return null;
  const ids = dataSetsOf(dataSet.id, answer);
  if (!reaches(view, cells, { ids, withinM })) return null;
  const radiusM = withinM + uncertaintyM;
  // What is farther than the index reaches, it finds in the leaves around.
  const near = (table: string): readonly Hit[] =>
    uncertaintyM > 0 ? view.edges(table, radiusM) : view.near(table, radiusM);
  return {
    countingM: nearestOf(countingHits(dataSet.id, answer, near)),
    unclearM: nearestOf(unclearTables(view, ids).flatMap(near)),
    isKnown: ids.every((id) => view.covers(id, radiusM)),
  };
}

function nearestOf(hits: readonly Hit[]): number {
  let nearestM = Infinity;
  for (const { distanceM } of hits) nearestM = Math.min(nearestM, distanceM);
  return nearestM;
}

/** The data sets whose features count, also those that the answer stands without. */
export function dataSetsOf(dataSet: string, { with: partners = [] }: Pick<ProximityAnswer, 'with'>): readonly string[] {
  return [dataSet, ...partners.map((partner) => partner.dataSet)];
}

/** What tells which tables there are. */
type Tables = Pick<PlaceView, 'has'>;

/** Whether all of them are loaded, and the index has their features within the distance. */
export function reaches(
  view: Tables,
  cells: CellIndex | null,
  { ids, withinM }: { readonly ids: readonly string[]; readonly withinM: number },
): boolean {
  return (
    ids.every((id) => view.has(id)) &&
    [...ids, ...unclearTables(view, ids)].every((table) => reachOf(cells, table) >= withinM)
  );
}

/** The tables of features of which nobody knows whether they count. */
export function unclearTables(view: Tables, ids: readonly string[]): readonly string[] {
  return ids.map((id) => sideTable(id, 'unclear')).filter((table) => view.has(table));
}
