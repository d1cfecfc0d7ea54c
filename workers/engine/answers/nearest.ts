import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { AnswerDefinition } from '../../../src/catalogue/definition.ts';
import { sideTable } from '../../../src/catalogue/side-tables.ts';
import { EDGE_SEARCH_M } from '../../../src/messages/lookup.ts';
import { reachOf, type CellIndex } from '../cells/open.ts';
import type { Nearest } from '../feature.ts';
import { countingHits } from '../kinds/proximity.ts';
import type { Hit, PlaceView } from '../views/view.ts';

/** Tells how near the features of a layer are to a place that may be `uncertaintyM` away (`NearestOf`). */
export function nearestToPlace(
  view: PlaceView,
  cells: CellIndex | null,
  { dataSet, answer }: Catalogue['answers'][number],
  { withinM, uncertaintyM }: { readonly withinM: number; readonly uncertaintyM: number },
): Nearest | null {
  if (answer.kind !== 'proximity' || uncertaintyM > EDGE_SEARCH_M) return null;
  const tables = tablesOf(dataSet.id, answer);
  if (!reaches(view, cells, { ...tables, withinM })) return null;
  const radiusM = withinM + uncertaintyM;
  // What is farther than the index reaches, it finds in the leaves around.
  const near = (table: string): readonly Hit[] =>
    uncertaintyM > 0 ? view.edges(table, radiusM) : view.near(table, radiusM);
  let unclearM = Infinity;
  for (const table of tables.unclear) if (view.has(table)) unclearM = Math.min(unclearM, nearestOf(near(table)));
  return {
    countingM: nearestOf(countingHits(dataSet.id, answer, near)),
    unclearM,
    isKnown: tables.ids.every((id) => view.covers(id, radiusM)),
  };
}

function nearestOf(hits: readonly Hit[]): number {
  let nearestM = Infinity;
  for (const { distanceM } of hits) nearestM = Math.min(nearestM, distanceM);
  return nearestM;
}

const tablesByAnswer = new WeakMap<AnswerDefinition, ReturnType<typeof tablesOf>>();

/** Returns the tables in which the features of a layer are. */
export function tablesOf(
  dataSet: string,
  answer: AnswerDefinition,
): {
  /** Data sets whose features count, also those that the answer stands without. */
  readonly ids: readonly string[];
  /** Of features of which nobody knows whether they count, where the snapshot has them. */
  readonly unclear: readonly string[];
} {
  let known = tablesByAnswer.get(answer);
  if (known === undefined) {
    const partners = answer.kind === 'proximity' ? (answer.with ?? []) : [];
    const ids = [dataSet, ...partners.map((partner) => partner.dataSet)];
    tablesByAnswer.set(answer, (known = { ids, unclear: ids.map((id) => sideTable(id, 'unclear')) }));
  }
  return known;
}

/** Whether all data sets are loaded, and the index has their features within the distance. */
export function reaches(
  view: Pick<PlaceView, 'has'>,
  cells: CellIndex | null,
  { ids, unclear, withinM }: ReturnType<typeof tablesOf> & { readonly withinM: number },
): boolean {
  const isThere = (table: string): boolean => reachOf(cells, table) >= withinM;
  return ids.every((id) => view.has(id) && isThere(id)) && unclear.every((table) => !view.has(table) || isThere(table));
}
