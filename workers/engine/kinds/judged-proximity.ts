/** Proximity to the features that the rules of the answer count (`judgedBy`), and "outside" only where somebody has looked. */
import { judge, type Standing } from '../../../src/catalogue/counting.ts';
import type { CountingRule, ProximityAnswer } from '../../../src/catalogue/definition.ts';
import { proximityClasses } from '../../../src/catalogue/proximity-classes.ts';
import type { Attributes } from '../../geopackage/attribute.ts';
import { LayerAnswer, notCovered } from './layer-answer.ts';
import type { EdgeHit, PlaceView } from '../views/view.ts';
import type { Deciding } from './kind.ts';
import { changeOf, closestOf, closestRank, decidingOf, outermostM, outside, OUTSIDE } from './proximity-classes.ts';

export interface Judged {
  readonly dataSet: string;
  readonly answer: ProximityAnswer;
  readonly rules: readonly CountingRule[];
}

/** A class that no unclear feature would make closer; "outside" beside a feature that is known not to count. */
export function answerJudged(view: PlaceView, { dataSet, answer, rules }: Judged): LayerAnswer {
  const reachM = outermostM(answer);
  // Most often nothing is near, and the index knows that.
  if (view.near(dataSet, reachM).length === 0) return notCovered;
  const hits = view.all(dataSet, reachM);
  const counting = withStanding(hits, rules, 'yes');
  const unclear = withStanding(hits, rules, 'unclear');
  const [closest, doubtful] = [closestOf(counting, answer), closestOf(unclear, answer)];
  if (doubtful && doubtful.rank < (closest?.rank ?? OUTSIDE))
    return new LayerAnswer(null, 'unavailable', doubtful.distanceM);
  if (closest) return new LayerAnswer(proximityClasses[closest.rank]!, 'present', closest.distanceM);
  return withStanding(hits, rules, 'no').length > 0 ? outside : notCovered;
}

/** Returns the way to where one of the things changes on which the answer rests. */
export function changeOfJudged(view: PlaceView, { dataSet, answer, rules }: Judged, radiusM: number): number {
  const hits = view.all(dataSet, radiusM);
  const [counting, unclear] = [withStanding(hits, rules, 'yes'), withStanding(hits, rules, 'unclear')];
  const changeM = Math.min(changeOf(counting, answer), changeOf(unclear, answer));
  const isOutside = closestRank([...counting, ...unclear], answer) === OUTSIDE;
  return isOutside ? Math.min(changeM, endOfM(withStanding(hits, rules, 'no'), outermostM(answer))) : changeM;
}

/** Returns the way to where the first feature comes within a distance, or the last one leaves it. */
function endOfM(hits: readonly EdgeHit[], limitM: number): number {
  const within = hits.filter(({ distanceM }) => distanceM <= limitM);
  if (within.length === 0) return Math.min(...hits.map(({ distanceM }) => distanceM - limitM));
  return Math.max(
    ...within.map(({ distanceM, edgeDistanceM }) => limitM + (distanceM > 0 ? -distanceM : edgeDistanceM)),
  );
}

/** Returns the feature that decides: one that counts, or an unclear one that would give a closer class; beside "outside" one that does not count. */
export function decidingJudged(view: PlaceView, { dataSet, answer, rules }: Judged): Deciding {
  const reachM = outermostM(answer);
  const isNear = view.has(dataSet) && view.near(dataSet, reachM).length > 0;
  const hits = isNear ? view.all(dataSet, reachM) : [];
  const [counting, unclear] = [withStanding(hits, rules, 'yes'), withStanding(hits, rules, 'unclear')];
  const isDoubtful = closestRank(unclear, answer) < closestRank(counting, answer);
  const told = decidingOf(isDoubtful ? unclear : counting, answer);
  return told.distanceM === null ? { ...decidingOf(withStanding(hits, rules, 'no'), answer), distanceM: null } : told;
}

/** Returns the features that have one of these standings, in their order. */
export function withStanding<H extends { readonly attributes: Attributes }>(
  hits: readonly H[],
  rules: readonly CountingRule[],
  ...standings: readonly Standing[]
): readonly H[] {
  return hits.filter(({ attributes }) => standings.includes(judge(rules, (field) => attributes[field]).standing));
}
