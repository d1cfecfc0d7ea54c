import type { ProximityAnswer } from '../../../src/catalogue/definition.ts';
import { proximityClasses, type ProximityClass } from '../../../src/catalogue/proximity-classes.ts';
import { LayerAnswer, nothingFound } from './layer-answer.ts';
import type { Hit, PlaceView } from '../views/view.ts';
import { counts, type FeatureChoice } from '../cells/feature-choice.ts';
import type { AnswerKind, Deciding, Reading, TablesRead } from './kind.ts';
import { answerJudged, changeOfJudged, decidingJudged } from './judged-proximity.ts';
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
} from './proximity-classes.ts';

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
