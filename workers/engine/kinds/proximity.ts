import type { ProximityAnswer, CountingRule } from '../../../src/catalogue/definition.ts';
import { proximityClasses, type ProximityClass } from '../../../src/catalogue/proximity-class-names.ts';
import {
  LayerAnswer,
  nothingFound,
  notCovered,
  type AnswerKind,
  type Deciding,
  type Reading,
  type TablesRead,
} from './kind.ts';
import type { Hit, PlaceView, EdgeHit } from '../views/view.ts';
import { counts, type FeatureChoice } from '../cells/feature-choice.ts';
import { fieldsOf } from './member-value.ts';
import {
  changeOf,
  closestOf,
  closestRank,
  decidingOf,
  innermostReachM,
  limitsM,
  outermostM,
  outside,
  OUTSIDE,
} from './class-by-distance.ts';
import { judge, type Standing } from '../../../src/catalogue/counting.ts';
import type { Attributes } from '../../geopackage/attribute.ts';

/** The class of the distance to the nearest feature: inside, regulated, adjacent, outside. */
export const proximityKind: AnswerKind<ProximityAnswer> = {
  answer: answerProximity,
  nearestChangeM,
  alwaysNeedsCoverage: false,
  knownAroundM,
  searchedM: innermostReachM,
  readings,
  limitsM,
  besideUnclear,
  labelField: () => undefined,
  deciding,
};

/**
 * Answers with the closest class of any feature. A feature counts wherever it is found. Only "outside" requires
 * coverage of the place, and with `wholeBand` also of the land around it.
 */
function answerProximity(view: PlaceView, dataSet: string, answer: ProximityAnswer): LayerAnswer {
  if (answer.judgedBy) return answerJudged(view, { dataSet, answer, rules: answer.judgedBy });
  const reachM = outermostM(answer);
  const hits = countingHits(dataSet, answer, (id) => (view.has(id) ? view.near(id, reachM) : []));
  // Most often nothing is near.
  if (hits.length === 0) return nothingFound(view, dataSet, outside, knownAroundM(answer));
  const closest = closestOf(hits, answer);
  if (closest === null) return nothingFound(view, dataSet, outside, knownAroundM(answer));
  return new LayerAnswer(proximityClasses[closest.rank]!, 'present', closest.distanceM);
}

/** Returns the answer where an unclear feature would give a closer class: that class is not known. */
function besideUnclear(
  given: LayerAnswer,
  { view, table }: { readonly view: PlaceView; readonly table: string },
  answer: ProximityAnswer,
): LayerAnswer {
  const closest = closestOf(view.near(table, outermostM(answer)), answer);
  const known = typeof given.value === 'string' ? proximityClasses.indexOf(given.value as ProximityClass) : OUTSIDE;
  return closest && closest.rank < known ? new LayerAnswer(null, 'unavailable', closest.distanceM) : given;
}

/**
 * Returns the features of the data set and of its partners that count for the answer; `find` returns the near features
 * of a data set.
 */
export function countingHits<H extends Pick<Hit, 'attributes'>>(
  dataSet: string,
  answer: ProximityAnswer,
  find: (dataSet: string) => readonly H[],
): readonly H[] {
  const own = chosen(find(dataSet), answer);
  if (!answer.with) return own;
  const all = [...own];
  for (const part of answer.with) all.push(...chosen(find(part.dataSet), part));
  return all;
}

function chosen<H extends Pick<Hit, 'attributes'>>(hits: readonly H[], choice: FeatureChoice): readonly H[] {
  if (hits.length === 0 || !(choice.only ?? choice.ignore)) return hits;
  return hits.filter((hit) => counts(hit, choice));
}

/** Returns the radius around a place that must be covered before the answer may be "outside". Metres. */
export function knownAroundM(answer: ProximityAnswer): number {
  return answer.wholeBand === true ? outermostM(answer) : 0;
}

/** Returns the feature that decides the class: one that counts, or an unclear one that would give a closer class. */
function deciding(
  view: PlaceView,
  { dataSet, unclear }: TablesRead,
  { answer, given }: { readonly answer: ProximityAnswer; readonly given: LayerAnswer },
): Deciding {
  if (answer.judgedBy) return decidingJudged(view, { dataSet, answer, rules: answer.judgedBy });
  // Most often nothing is near.
  if (given.distanceM === null) return decidingOf([], answer);
  const reachM = outermostM(answer);
  const find = (id: string): readonly Hit[] => (view.has(id) ? view.near(id, reachM) : []);
  const counting = countingHits(dataSet, answer, find);
  const doubtful = unclear === null ? [] : find(unclear);
  return decidingOf(closestRank(doubtful, answer) < closestRank(counting, answer) ? doubtful : counting, answer);
}

/**
 * Returns the way to where the answer changes: to a better class by any feature, or to a worse one by leaving all features of the present
 * class. A feature that is near a limit of no better class changes nothing.
 */
function nearestChangeM(
  view: PlaceView,
  { dataSet, answer }: { readonly dataSet: string; readonly answer: ProximityAnswer },
  searchM: number,
): number {
  const reachM = outermostM(answer) + searchM;
  if (answer.judgedBy) return changeOfJudged(view, { dataSet, answer, rules: answer.judgedBy }, reachM);
  return changeOf(
    countingHits(dataSet, answer, (id) => (view.has(id) ? view.edges(id, reachM) : [])),
    answer,
  );
}

/**
 * The answer may ignore a feature because of an attribute, so a nearer feature does not always make a farther one
 * unnecessary.
 */
function readings(dataSet: string, answer: ProximityAnswer): readonly Reading[] {
  const reachM = outermostM(answer);
  const bandFields = (answer.bandsFor ?? []).map(({ field }) => field);
  // Attributes of the deciding feature, which is among the nearest of its class. Answers that judge each feature read them from the feature table.
  const told = answer.judgedBy
    ? []
    : [...fieldsOf(answer.deciding ?? {}), ...(answer.precedence ?? []).map(({ field }) => field)];
  const parts: readonly (FeatureChoice & { readonly dataSet: string })[] = [
    { ...answer, dataSet },
    ...(answer.with ?? []),
  ];
  return parts.map(({ dataSet: id, only, ignore }) => {
    const fields = [...bandFields, ...[only, ignore].flatMap((filter) => filter?.field ?? [])];
    return {
      dataSet: id,
      ...(only ? { only } : {}),
      ...(ignore ? { ignore } : {}),
      reachM,
      keptWithinM: answer.keptWithinM,
      nearestOnly: fields.length === 0,
      fields: [...fields, ...(id === dataSet ? told : [])],
      // What only the evidence tells is read of one feature.
      readsNearestOfMany: fields.length === 0 && told.length > 0,
    };
  });
}

// Proximity to the features that the rules of the answer count (`judgedBy`), and "outside" only where somebody has looked.

export interface Judged {
  readonly dataSet: string;
  readonly answer: ProximityAnswer;
  readonly rules: readonly CountingRule[];
}

/** A class that no unclear feature would make closer; "outside" beside a feature that is known not to count. */
function answerJudged(view: PlaceView, { dataSet, answer, rules }: Judged): LayerAnswer {
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
function changeOfJudged(view: PlaceView, { dataSet, answer, rules }: Judged, radiusM: number): number {
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
function decidingJudged(view: PlaceView, { dataSet, answer, rules }: Judged): Deciding {
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
