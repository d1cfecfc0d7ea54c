import type { Bands, FieldFilter, ProximityAnswer } from '../../../src/shared/catalogue/definition.ts';
import { proximityClasses, type ProximityClass } from '../../../src/shared/contract/lookup.ts';
import type { Hit, PlaceView } from '../views/view.ts';
import { absent, LayerAnswer, nothingFound } from './layer-answer.ts';

const outside = absent('outside');

/**
 * Answers with the closest class of any feature. A feature counts wherever it is found. Only "outside" requires
 * coverage of the place, and with `wholeBand` also of the land around it.
 */
export function answerProximity(view: PlaceView, dataSet: string, answer: ProximityAnswer): LayerAnswer {
  const reachM = outermostM(answer);
  const hits = countingHits(dataSet, answer, (id) => (view.has(id) ? view.near(id, reachM) : []));
  // Most often nothing is near.
  if (hits.length === 0) return nothingFound(view, dataSet, outside, knownAroundM(answer));
  const classes = hits.map((hit) => classOf(hit, answer));
  const nearest = proximityClasses.find((candidate) => candidate !== 'outside' && classes.includes(candidate));
  if (nearest === undefined) return nothingFound(view, dataSet, outside, knownAroundM(answer));
  return new LayerAnswer(nearest, 'present', Math.min(...hits.map((hit) => hit.distanceM)));
}

/**
 * Returns the features of the data set and of its partners that count for the answer; `find` returns the near features
 * of a data set.
 */
export function countingHits<H extends Hit>(
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

function chosen<H extends Hit>(hits: readonly H[], choice: FeatureChoice): readonly H[] {
  if (hits.length === 0 || !(choice.only ?? choice.ignore)) return hits;
  return hits.filter((hit) => counts(hit, choice));
}

const outermost = new WeakMap<ProximityAnswer, number>();

/**
 * Returns the largest distance in metres at which a feature can change the answer. Cached, because each lookup uses it
 * several times.
 */
export function outermostM(answer: ProximityAnswer): number {
  let known = outermost.get(answer);
  if (known === undefined) outermost.set(answer, (known = findOutermostM(answer)));
  return known;
}

function findOutermostM(answer: ProximityAnswer): number {
  const all = [answer.bands, ...(answer.bandsFor ?? []).map((special) => special.bands)];
  return Math.max(answer.insideWithinM ?? 0, ...all.flatMap((bands) => [bands.regulated ?? 0, bands.adjacent ?? 0]));
}

/** Returns the radius around a place that must be covered before the answer may be "outside". Metres. */
export function knownAroundM(answer: ProximityAnswer): number {
  return answer.wholeBand === true ? outermostM(answer) : 0;
}

/** Returns the limits in metres for a feature: the general ones, or those for its attributes. */
export function bandsOf(hit: Hit, answer: ProximityAnswer): Bands {
  const special = answer.bandsFor?.find((candidate) => matches(hit, candidate));
  return special ? { ...answer.bands, ...special.bands } : answer.bands;
}

/**
 * Distance below which a place is on the feature, because stored coordinates are rounded to centimetres
 * (docs/cell-index.md).
 */
const ON_FEATURE_M = 0.02;

/** Returns the distance in metres up to which a feature makes the answer "inside". */
export function insideLimitM({ insideWithinM }: ProximityAnswer): number {
  return insideWithinM ?? ON_FEATURE_M;
}

/**
 * Returns the feature that decides the answer: the nearest of those in the closest class. Null when none is within the
 * bands.
 */
export function decidingHit<H extends Hit>(hits: readonly H[], answer: ProximityAnswer): H | null {
  const ranked = hits
    .map((hit) => ({ hit, rank: proximityClasses.indexOf(classOf(hit, answer)) }))
    .filter(({ rank }) => proximityClasses[rank] !== 'outside')
    .sort((a, b) => a.rank - b.rank || a.hit.distanceM - b.hit.distanceM);
  return ranked[0]?.hit ?? null;
}

function classOf(hit: Hit, answer: ProximityAnswer): ProximityClass {
  const bands = bandsOf(hit, answer);
  if (hit.distanceM <= insideLimitM(answer)) return 'inside';
  if (hit.distanceM <= (bands.regulated ?? 0)) return 'regulated';
  if (hit.distanceM <= (bands.adjacent ?? 0)) return 'adjacent';
  return 'outside';
}

/** Choice of the features of a data set that count. */
export interface FeatureChoice {
  readonly only?: FieldFilter;
  readonly ignore?: FieldFilter;
}

/** Says whether a feature counts for an answer. */
export function counts(hit: Pick<Hit, 'attributes'>, { only, ignore }: FeatureChoice): boolean {
  return (!only || matches(hit, only)) && !matches(hit, ignore);
}

function matches(hit: Pick<Hit, 'attributes'>, filter: FieldFilter | undefined): boolean {
  if (!filter) return false;
  const value = hit.attributes[filter.field];
  return value !== null && value !== undefined && filter.values.includes(String(value));
}
