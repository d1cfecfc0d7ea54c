/** The classes of distances to features: inside, regulated, adjacent, outside. */
import type { Bands, ProximityAnswer } from '../../../src/shared/catalogue/definition.ts';
import { proximityClasses, type ProximityClass } from '../../../src/shared/catalogue/proximity-classes.ts';
import { absent } from '../answers/layer-answer.ts';
import type { EdgeHit, Hit } from '../views/view.ts';
import { matches } from './feature-choice.ts';

export const outside = absent('outside');

/** The place of this class among all. */
export const OUTSIDE = proximityClasses.indexOf('outside');

const outermost = new WeakMap<ProximityAnswer, number>();

/**
 * Returns the largest distance in metres at which a feature can change the answer. Cached, because each lookup uses it
 * several times.
 */
export function outermostM(answer: ProximityAnswer): number {
  let known = outermost.get(answer);
  if (known === undefined) outermost.set(answer, (known = Math.max(0, ...limitsM(answer))));
  return known;
}

const innermost = new WeakMap<ProximityAnswer, number>();

/** Returns the distance in metres up to which a feature changes the answer, whatever its attributes. Cached like `outermostM`. */
export function innermostReachM(answer: ProximityAnswer): number {
  let known = innermost.get(answer);
  if (known === undefined) innermost.set(answer, (known = Math.min(...reachesM(answer))));
  return known;
}

function reachesM({ insideWithinM = 0, bands, bandsFor = [] }: ProximityAnswer): readonly number[] {
  const all = [bands, ...bandsFor.map((special) => ({ ...bands, ...special.bands }))];
  return all.map(({ regulated = 0, adjacent = 0 }) => Math.max(insideWithinM, regulated, adjacent));
}

export function limitsM({ insideWithinM, bands, bandsFor = [] }: ProximityAnswer): readonly number[] {
  const all = [bands, ...bandsFor.map((special) => special.bands)];
  const limits = [insideWithinM, ...all.flatMap(({ regulated, adjacent }) => [regulated, adjacent])];
  return limits.filter((limit) => limit !== undefined && limit > 0) as number[];
}

/** Returns the limits in metres for a feature: the general ones, or those for its attributes. */
export function bandsOf(hit: Pick<Hit, 'attributes'>, answer: ProximityAnswer): Bands {
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
    .map((hit) => ({ hit, rank: rankOf(hit, answer) }))
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

/** The place of the closest class that features give. */
export function closestRank(hits: readonly Hit[], answer: ProximityAnswer): number {
  return Math.min(OUTSIDE, ...hits.map((hit) => rankOf(hit, answer)));
}

/** The place of the class that a feature gives, from the closest outwards. */
function rankOf(hit: Hit, answer: ProximityAnswer): number {
  return proximityClasses.indexOf(classOf(hit, answer));
}

/** Returns the way to where the class of features is another. */
export function changeOf(hits: readonly EdgeHit[], answer: ProximityAnswer): number {
  if (hits.length === 0) return Infinity;
  const present = closestRank(hits, answer);
  const better = hits.flatMap((hit) => {
    const limits = limitsOf(hit, answer).slice(0, present);
    return limits.flatMap((limitM) => (hit.distanceM > limitM ? [hit.distanceM - limitM] : []));
  });
  const leaving = hits
    .filter((hit) => rankOf(hit, answer) === present)
    .map((hit) => limitsOf(hit, answer)[present]! + (hit.distanceM > 0 ? -hit.distanceM : hit.edgeDistanceM));
  const nearestM = Math.min(...better);
  return present === OUTSIDE || leaving.length === 0 ? nearestM : Math.min(nearestM, Math.max(...leaving));
}

/** Distances in metres up to which a feature makes the answer each class but the last. */
function limitsOf(hit: Hit, answer: ProximityAnswer): readonly [number, number, number] {
  const { regulated = 0, adjacent = 0 } = bandsOf(hit, answer);
  return [insideLimitM(answer), regulated, adjacent];
}
