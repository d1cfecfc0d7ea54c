/** Compares the cell index with the reference path at one place. */
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { answerLayer, kindOf } from '../engine/kinds/kinds.ts';
import { evidenceOf } from '../engine/answers/evidence.ts';
import { EDGE_SEARCH_M, type Coordinate } from '../../src/messages/lookup.ts';
import type { LayerValue } from '../../src/messages/wire/lookup.ts';
import { ROUNDING_M, type Disagreement } from '../../src/messages/verify.ts';
import type { LayerEvidence } from '../../src/messages/wire/full-lookup.ts';
import { project } from '../geopackage/lambert.ts';
import { sideTable } from '../../src/catalogue/side-tables.ts';
import { memberValues } from '../engine/kinds/member-value.ts';
import { referenceView } from '../engine/views/reference-view.ts';
import type { Snapshot } from '../geopackage/snapshot.ts';
import type { LayerAnswer } from '../engine/kinds/kind.ts';
import type { Hit, PlaceView } from '../engine/views/view.ts';
import { cellView } from '../engine/views/cell-view.ts';
import type { CellIndex } from '../engine/cells/open.ts';

interface Compared {
  readonly answers: Catalogue['answers'];
  /** Compares the evidence of the answers too. */
  readonly withEvidence: boolean;
}

/** Decimals of the distances that are compared: millimetres. */
const DECIMALS = 3;

/** Says whether two views of a place give the same answers, apart from what rounding explains. */
export function agree(one: PlaceView, other: PlaceView, { answers, withEvidence }: Compared): boolean {
  return answers.every(({ dataSet, answer }) => {
    const given = [one, other].map((view) => answerLayer(view, dataSet, answer)) as [LayerAnswer, LayerAnswer];
    if (!isSame(given[0].value, given[1].value)) return false;
    if (!withEvidence) return true;
    const [evidence, expected] = [one, other].map((view, i) =>
      evidenceOf(view, { dataSet, answer, given: given[i]!, uncertaintyM: 0, decimals: DECIMALS }),
    ) as [LayerEvidence, LayerEvidence];
    return isSameEvidence(evidence, expected);
  });
}

/** Returns the layers that the two paths answer or explain differently. */
export function compareAt(
  snapshot: Snapshot,
  cells: CellIndex,
  { answers, at, withEvidence = false }: Pick<Compared, 'answers'> & Partial<Compared> & { readonly at: Coordinate },
): Disagreement[] {
  const point = project(at);
  const views = [cellView(snapshot, cells, point), referenceView(snapshot, point)] as const;
  return answers.flatMap(({ dataSet, answer }) => {
    const [fast, slow] = views.map((view) => {
      const given = answerLayer(view, dataSet, answer);
      const asked = { dataSet, answer, given, uncertaintyM: 0, decimals: DECIMALS };
      return { value: given.value, evidence: evidenceOf(view, asked) };
    }) as [
      { readonly value: LayerValue; readonly evidence: LayerEvidence },
      { readonly value: LayerValue; readonly evidence: LayerEvidence },
    ];
    const told = { ...at, key: answer.key, boundaryDistanceM: slow.evidence.boundaryDistanceM };
    if (!isSame(fast.value, slow.value))
      return [{ ...told, indexed: JSON.stringify(fast.value), reference: JSON.stringify(slow.value) }];
    if (!withEvidence || isSameEvidence(fast.evidence, slow.evidence)) return [];
    const boundaryDistanceM = apartM(views[1], { dataSet, answer }, [fast.evidence, slow.evidence]);
    return [
      {
        ...told,
        ...(boundaryDistanceM === null ? {} : { boundaryDistanceM }),
        indexed: JSON.stringify(fast.evidence),
        reference: JSON.stringify(slow.evidence),
      },
    ];
  });
}

/**
 * Returns how far apart the features are that the two paths tell of, where nothing else differs: of some that are equally far but for the rounding, each
 * path may find another one the nearest, or more of them equally near. Ground metres; null where it is not that.
 */
function apartM(
  reference: PlaceView,
  { dataSet, answer }: Catalogue['answers'][number],
  [fast, slow]: readonly [LayerEvidence, LayerEvidence],
): number | null {
  const { distanceM } = slow;
  if (distanceM === null || !isSameBesides(fast, slow)) return null;
  const readings = kindOf(answer).readings(dataSet.id, answer);
  const level = [...readings, { dataSet: sideTable(dataSet.id, 'unclear'), reachM: readings[0]!.reachM }]
    .flatMap((read) => (reference.has(read.dataSet) ? reference.near(read.dataSet, read.reachM) : []))
    .filter((hit) => Math.abs(hit.distanceM - distanceM) <= LEVEL_M);
  // Of features at the place itself, their order decides, which nothing rounds.
  const apart = level.map((hit) => Math.abs(hit.distanceM - distanceM)).filter((m) => m > 0 || distanceM > 0);
  const isExplained =
    Math.abs((fast.distanceM ?? Infinity) - distanceM) <= LEVEL_M &&
    (fast.others ?? 0) < level.length &&
    isOneOf(fast.feature, 'deciding' in answer ? answer.deciding : undefined, level);
  return apart.length > 0 && isExplained ? Math.min(ROUNDING_M, ...apart) : null;
}

/** Features are equally near within the rounding (`decidingHit`), and each path rounds. Ground metres. */
const LEVEL_M = 2 * ROUNDING_M;

function isOneOf(
  feature: LayerEvidence['feature'],
  deciding: Parameters<typeof memberValues>[1] | undefined,
  hits: readonly Hit[],
): boolean {
  if (!deciding) return true;
  return hits.some((hit) => JSON.stringify(memberValues(hit, deciding)) === JSON.stringify(feature));
}

/** Whether the place is near the boundary follows from the distance. */
function isSameEvidence(a: LayerEvidence, b: LayerEvidence): boolean {
  return (
    isSameBesides(a, b) &&
    isSameDistance(a.distanceM, b.distanceM) &&
    JSON.stringify([a.feature, a.others]) === JSON.stringify([b.feature, b.others])
  );
}

/** Whether all but the feature that decides is the same. */
function isSameBesides(a: LayerEvidence, b: LayerEvidence): boolean {
  return (
    a.state === b.state &&
    isSameDistance(a.boundaryDistanceM, b.boundaryDistanceM, EDGE_SEARCH_M) &&
    JSON.stringify(a.dataSets) === JSON.stringify(b.dataSets)
  );
}

/** @param mostM beyond which a distance is null. */
function isSameDistance(a: number | null, b: number | null, mostM = Infinity): boolean {
  if (a === b) return true;
  return Math.abs((a ?? mostM) - (b ?? mostM)) <= ROUNDING_M;
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
