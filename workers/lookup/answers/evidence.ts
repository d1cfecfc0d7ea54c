import type { AnswerDefinition, DataSetDefinition, ProximityAnswer } from '../../../src/shared/catalogue/definition.ts';
import type { LayerEvidence } from '../../../src/shared/contract/lookup.ts';
import type { PlaceView } from '../views/view.ts';
import { memberValue } from './answer-layer.ts';
import type { LayerAnswer } from './layer-answer.ts';
import { bandsOf, countingHits, decidingHit, insideLimitM, knownAroundM, outermostM } from './proximity.ts';

/**
 * Metres beyond the answer's own reach within which edges are searched; more than the uncertainty of any accuracy
 * class.
 */
const EDGE_SEARCH_M = 250;

interface Asked {
  readonly dataSet: DataSetDefinition;
  readonly answer: AnswerDefinition;
  readonly given: LayerAnswer;
  /** Expected error of the position in metres. */
  readonly uncertaintyM: number;
  /** Decimals of the distances; default: decimetres. */
  readonly decimals?: number;
}

/** Returns the evidence of an answer, and the distance to where the answer could change. Ground metres. */
export function evidenceOf(
  view: PlaceView,
  { dataSet, answer, given, uncertaintyM, decimals = 1 }: Asked,
): LayerEvidence {
  const partners = answer.kind === 'proximity' ? (answer.with ?? []).map((part) => part.dataSet) : [];
  const changes = view.has(dataSet.id) ? distancesOfChange(view, dataSet.id, answer) : [];
  if (restsOnCoverage(answer, given)) changes.push(distanceOfCoverage(view, dataSet.id, answer));
  const nearest = Math.min(...changes);
  const boundaryDistanceM = nearest <= EDGE_SEARCH_M ? round(nearest, decimals) : null;
  return {
    state: given.state,
    distanceM: given.distanceM === null ? null : round(given.distanceM, decimals),
    boundaryDistanceM,
    nearBoundary: boundaryDistanceM !== null && boundaryDistanceM <= uncertaintyM,
    dataSets: [dataSet.id, ...partners.filter((id) => view.has(id))],
    ...(answer.kind === 'proximity' && answer.deciding
      ? { feature: describeDeciding(view, { dataSet: dataSet.id, answer, members: answer.deciding }) }
      : {}),
  };
}

type Members = NonNullable<ProximityAnswer['deciding']>;

/** Returns attributes of the feature that decides the class; null when there is none. */
function describeDeciding(
  view: PlaceView,
  {
    dataSet,
    answer,
    members,
  }: { readonly dataSet: string; readonly answer: ProximityAnswer; readonly members: Members },
): NonNullable<LayerEvidence['feature']> | null {
  const hits = countingHits(dataSet, answer, (id) => (view.has(id) ? view.edges(id, outermostM(answer)) : []));
  const deciding = decidingHit(hits, answer);
  if (!deciding) return null;
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, memberValue(deciding, member)]));
}

/**
 * Says whether the answer depends on the coverage. A feature counts wherever it is found, but absence and numbers are
 * known only within the coverage.
 */
function restsOnCoverage({ kind }: AnswerDefinition, { state }: LayerAnswer): boolean {
  return state === 'absent' || state === 'no_coverage' || kind === 'count';
}

/**
 * Returns the distance to the edge of the area in which the data set can say "no". With `wholeBand` that edge is one
 * band inside the edge of the coverage.
 */
function distanceOfCoverage(view: PlaceView, dataSet: string, answer: AnswerDefinition): number {
  const aroundM = answer.kind === 'proximity' ? knownAroundM(answer) : 0;
  const edgeM = view.coverageEdgeM(dataSet, EDGE_SEARCH_M + aroundM);
  return view.covers(dataSet, 0) ? Math.abs(edgeM - aroundM) : edgeM + aroundM;
}

/** Returns the distances from the place to each edge, band limit or radius at which the answer could change. */
function distancesOfChange(view: PlaceView, dataSet: string, answer: AnswerDefinition): number[] {
  switch (answer.kind) {
    case 'boolean':
    case 'value':
    case 'object':
      return view.edges(dataSet, EDGE_SEARCH_M).map((hit) => hit.edgeDistanceM);
    case 'count':
      return view.edges(dataSet, answer.radiusM + EDGE_SEARCH_M).map((hit) => Math.abs(hit.distanceM - answer.radiusM));
    case 'proximity':
      return proximityEdges(view, dataSet, answer);
  }
}

function proximityEdges(view: PlaceView, dataSet: string, answer: ProximityAnswer): number[] {
  const reachM = outermostM(answer) + EDGE_SEARCH_M;
  const hits = countingHits(dataSet, answer, (id) => (view.has(id) ? view.edges(id, reachM) : []));
  return hits.flatMap((hit) => {
    const { regulated, adjacent } = bandsOf(hit, answer);
    const limits = [insideLimitM(answer), regulated, adjacent].filter((limit) => limit !== undefined);
    return hit.distanceM === 0
      ? [hit.edgeDistanceM + insideLimitM(answer)]
      : limits.map((limit) => Math.abs(hit.distanceM - limit));
  });
}

function round(metres: number, decimals: number): number {
  return Math.round(metres * 10 ** decimals) / 10 ** decimals;
}
