/** Compares the cell index with the reference path at one place. */
import type { Catalogue } from '../../src/shared/catalogue/catalogue.ts';
import { answerLayer } from '../lookup/answers/answer-layer.ts';
import { evidenceOf } from '../lookup/answers/evidence.ts';
import type { Coordinate } from '../../src/shared/contract/lookup.ts';
import type { LayerValue } from '../../src/shared/wire/lookup.ts';
import type { Disagreement } from '../../src/shared/contract/verify.ts';
import { project } from '../geopackage/projection.ts';
import { referenceView } from '../lookup/views/reference-view.ts';
import type { Snapshot } from '../geopackage/snapshot.ts';
import type { PlaceView } from '../lookup/views/view.ts';
import { cellView } from '../lookup/views/cell-view.ts';
import type { CellIndex } from '../lookup/cells/open.ts';

/** Says whether two views of a place give the same answers, apart from distances that rounding changes by a metre. */
export function agree(one: PlaceView, other: PlaceView, answers: Catalogue['answers']): boolean {
  return answers.every(({ dataSet, answer }) =>
    isSame(answerLayer(one, dataSet, answer).value, answerLayer(other, dataSet, answer).value),
  );
}

/** Returns the layers that the two paths answer differently. */
export function compareAt(
  snapshot: Snapshot,
  cells: CellIndex,
  { answers, at }: { readonly answers: Catalogue['answers']; readonly at: Coordinate },
): Disagreement[] {
  const point = project(at);
  const [indexed, reference] = [cellView(snapshot, cells, point), referenceView(snapshot, point)];
  return answers.flatMap(({ dataSet, answer }) => {
    const [fast, slow] = [indexed, reference].map((view) => answerLayer(view, dataSet, answer));
    if (isSame(fast!.value, slow!.value)) return [];
    const [got, expected] = [JSON.stringify(fast!.value), JSON.stringify(slow!.value)];
    const { boundaryDistanceM } = evidenceOf(reference, {
      dataSet,
      answer,
      given: slow!,
      uncertaintyM: 0,
      decimals: 3,
    });
    return [{ ...at, key: answer.key, indexed: got, reference: expected, boundaryDistanceM }];
  });
}

function isSame(a: LayerValue, b: LayerValue): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b) || differByRounding(a, b);
}

/**
 * Says whether two answers differ only by rounding: distances are whole metres, and rounding to centimetres can change
 * 12.499 to 12.501.
 */
function differByRounding(a: LayerValue, b: LayerValue): boolean {
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  return Object.entries(a).every(([name, value]) => {
    const other = b[name];
    return value === other || (typeof value === 'number' && typeof other === 'number' && Math.abs(value - other) === 1);
  });
}
