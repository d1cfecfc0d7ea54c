import type { AnswerDefinition, DataSetDefinition } from '../../../src/shared/catalogue/definition.ts';
import type { LayerEvidence } from '../../../src/shared/wire/full-lookup.ts';
import type { AnswerKind } from '../kinds/kind.ts';
import { kindOf } from '../kinds/kinds.ts';
import { EDGE_SEARCH_M, type PlaceView } from '../views/view.ts';
import type { LayerAnswer } from './layer-answer.ts';

interface Asked {
  readonly dataSet: DataSetDefinition;
  readonly answer: AnswerDefinition;
  readonly given: LayerAnswer;
  /** Expected error of the position in metres. */
  readonly uncertaintyM: number;
  /** Decimals of the distances; default: decimetres. */
  readonly decimals?: number;
  readonly kind?: AnswerKind<AnswerDefinition>;
}

/** Returns the evidence of an answer, and the distance to where the answer could change. Ground metres. */
export function evidenceOf(
  view: PlaceView,
  { dataSet: { id: dataSet }, answer, given, uncertaintyM, decimals = 1, kind = kindOf(answer) }: Asked,
): LayerEvidence {
  const [, ...partners] = kind.readings(dataSet, answer);
  const changes = view.has(dataSet) ? kind.distancesOfChange(view, { dataSet, answer }, EDGE_SEARCH_M) : [];
  if (kind.alwaysNeedsCoverage || foundNothing(given))
    changes.push(distanceOfCoverage(view, dataSet, kind.knownAroundM(answer)));
  const nearest = Math.min(...changes);
  const boundaryDistanceM = nearest <= EDGE_SEARCH_M ? round(nearest, decimals) : null;
  const feature = kind.decidingFeature?.(view, dataSet, answer);
  return {
    state: given.state,
    distanceM: given.distanceM === null ? null : round(given.distanceM, decimals),
    boundaryDistanceM,
    nearBoundary: boundaryDistanceM !== null && boundaryDistanceM <= uncertaintyM,
    dataSets: [dataSet, ...partners.flatMap((part) => (view.has(part.dataSet) ? [part.dataSet] : []))],
    ...(feature === undefined ? {} : { feature }),
  };
}

/** A feature that is found counts wherever it is found; that there is none is known in the data set's area only. */
function foundNothing({ state }: LayerAnswer): boolean {
  return state === 'absent' || state === 'no_coverage';
}

/** The way to where the area begins or ends in which the data set can say "no": `aroundM` inside the area that it knows. */
function distanceOfCoverage(view: PlaceView, dataSet: string, aroundM: number): number {
  const edgeM = view.coverageEdgeM(dataSet, EDGE_SEARCH_M + aroundM);
  return view.covers(dataSet, 0) ? Math.abs(edgeM - aroundM) : edgeM + aroundM;
}

function round(metres: number, decimals: number): number {
  return Math.round(metres * 10 ** decimals) / 10 ** decimals;
}
