import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { reaches, tablesOf } from '../engine/answers/nearest.ts';
import type { CellIndex } from '../engine/cells/open.ts';
import type { Nearest } from '../engine/feature.ts';
import { countingHits } from '../engine/kinds/proximity.ts';
import type { AreaView } from './area-view.ts';
import { sharesOf } from './shares.ts';

/** Tells how near the features of a layer are to an area, 0 where they meet (`NearestOf`). */
export function nearestToArea(
  view: AreaView,
  cells: CellIndex | null,
  { dataSet, answer }: Catalogue['answers'][number],
  withinM: number,
): Nearest | null {
  const tables = tablesOf(dataSet.id, answer);
  if (!reaches(view, cells, { ...tables, withinM })) return null;
  const unclear = tables.unclear.filter((table) => view.has(table));
  const nearestM = (choice: Parameters<AreaView['nearestM']>[0]): number => view.nearestM(choice, withinM) ?? Infinity;
  return {
    countingM: nearestM((piece) =>
      answer.kind === 'proximity'
        ? countingHits(dataSet.id, answer, (id) => piece.features(id, withinM))
        : piece.features(dataSet.id, withinM),
    ),
    unclearM: nearestM((piece) => unclear.flatMap((table) => piece.features(table, withinM))),
    isKnown: tables.ids.every((id) => knowsAround(view, id, withinM)),
  };
}

/** Whether a data set knows the land of the area, and `aroundM` ground metres around each place of it. */
function knowsAround(view: AreaView, id: string, aroundM: number): boolean {
  const nothing = { choice: () => [], limitM: () => 0 };
  const knownM2 = view.knowsProvince(id) ? view.insideOntarioM2 : view.knownBeyond(id, nothing, aroundM);
  return sharesOf([knownM2], view.areaM2).of[0] === 1;
}
