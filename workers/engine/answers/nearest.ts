import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { AnswerDefinition } from '../../../src/catalogue/definition.ts';
import { sideTable } from '../../../src/catalogue/side-tables.ts';
import { EDGE_SEARCH_M } from '../../../src/messages/lookup.ts';
import { counts, type FeatureChoice } from '../cells/feature-choice.ts';
import { reachOf, type CellIndex } from '../cells/open.ts';
import type { Nearest } from '../feature.ts';
import type { Hit, PlaceView } from '../views/view.ts';

type Asked = Catalogue['answers'][number];

/** Tells how near the features of a layer are to a place that may be `uncertaintyM` away (`NearestOf`). */
export function nearestToPlace(
  view: PlaceView,
  cells: CellIndex | null,
  asked: Asked,
  { withinM, uncertaintyM }: { readonly withinM: number; readonly uncertaintyM: number },
): Nearest | null {
  if (asked.answer.kind !== 'proximity' || uncertaintyM > EDGE_SEARCH_M) return null;
  const parts = partsOf(asked);
  if (!reaches(view, cells, parts, withinM)) return null;
  const radiusM = withinM + uncertaintyM;
  // What is farther than the index reaches, it finds in the leaves around.
  const near = (table: string): readonly Hit[] =>
    uncertaintyM > 0 ? view.edges(table, radiusM) : view.near(table, radiusM);
  let [countingM, unclearM, isKnown] = [Infinity, Infinity, true];
  for (const part of parts) {
    countingM = Math.min(countingM, nearestOf(near(part.id), part));
    if (view.has(part.unclear)) unclearM = Math.min(unclearM, nearestOf(near(part.unclear), {}));
    isKnown &&= view.covers(part.id, radiusM);
  }
  return { countingM, unclearM, isKnown };
}

/** @param hits nearest first. */
function nearestOf(hits: readonly Hit[], choice: FeatureChoice): number {
  for (const hit of hits) if (counts(hit, choice)) return hit.distanceM;
  return Infinity;
}

const partsByAnswer = new WeakMap<AnswerDefinition, readonly CountedPart[]>();

/** A data set whose features count for a layer, also one that its answer stands without. */
interface CountedPart extends FeatureChoice {
  readonly id: string;
  /** The table of features of which nobody knows whether they count, where the snapshot has it. */
  readonly unclear: string;
}

/** Returns the data sets whose features count for a layer: its own first, then those that its answer takes beside it. */
export function partsOf({ dataSet, answer }: Asked): readonly CountedPart[] {
  let parts = partsByAnswer.get(answer);
  if (parts === undefined) {
    const [own, partners] = answer.kind === 'proximity' ? [answer, answer.with ?? []] : [{}, []];
    parts = [{ ...own, dataSet: dataSet.id }, ...partners].map(({ dataSet: id, only, ignore }) => ({
      ...{ id, unclear: sideTable(id, 'unclear') },
      ...(only ? { only } : {}),
      ...(ignore ? { ignore } : {}),
    }));
    partsByAnswer.set(answer, parts);
  }
  return parts;
}

/** Whether all data sets are loaded, and the index has their features within the distance. */
export function reaches(
  view: Pick<PlaceView, 'has'>,
  cells: CellIndex | null,
  parts: readonly CountedPart[],
  withinM: number,
): boolean {
  for (const { id, unclear } of parts) {
    if (!view.has(id) || reachOf(cells, id) < withinM) return false;
    if (view.has(unclear) && reachOf(cells, unclear) < withinM) return false;
  }
  return true;
}
