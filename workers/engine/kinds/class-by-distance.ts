/** The classes of distances to features: inside, regulated, adjacent, outside. */
import { wordOf } from '../../../src/catalogue/counting.ts';
import type { Bands, FieldFilter, ProximityAnswer } from '../../../src/catalogue/definition.ts';
import { proximityClasses, type ProximityClass } from '../../../src/catalogue/proximity-class-names.ts';
import { ROUNDING_M } from '../../../src/messages/verify.ts';
import { absent, nothingDecides, type Deciding } from './kind.ts';
import type { EdgeHit, Hit } from '../views/view.ts';
import { matches } from '../cells/feature-choice.ts';
import { memberValues } from './member-value.ts';

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
 * Returns the distance in metres up to which a feature makes the answer "inside". Stored coordinates are rounded to centimetres
 * (docs/cell-index.md).
 */
export function insideLimitM({ insideWithinM }: ProximityAnswer): number {
  return insideWithinM ?? ROUNDING_M;
}

/** Returns the closest class that features give; null when none is within the bands. */
export function closestOf(
  hits: readonly Hit[],
  answer: ProximityAnswer,
): {
  readonly rank: number;
  /** Ground metres. */
  readonly distanceM: number;
} | null {
  let [rank, distanceM] = [OUTSIDE, Infinity];
  for (const hit of hits) {
    const own = rankOf(hit, answer);
    if (own < rank) [rank, distanceM] = [own, hit.distanceM];
    else if (own === rank && hit.distanceM < distanceM) distanceM = hit.distanceM;
  }
  return rank === OUTSIDE ? null : { rank, distanceM };
}

/** Returns what the evidence tells of the feature that decides among these. */
export function decidingOf(hits: readonly Hit[], answer: ProximityAnswer): Deciding {
  const found = decidingHit(hits, answer);
  if (found === null) return answer.deciding ? noneOfThem : nothingDecides;
  const { hit, others } = found;
  return { distanceM: hit.distanceM, others, feature: answer.deciding && memberValues(hit, answer.deciding) };
}

const noneOfThem: Deciding = { ...nothingDecides, feature: null };

/**
 * Returns the feature on which the answer rests, and how many more are as near: of those that give the closest class the nearest. Where several are
 * equally near, as far as rounded coordinates tell, `precedence` of the definition decides, then the order of the features. Null when none is within the
 * bands.
 */
function decidingHit(
  hits: readonly Hit[],
  answer: ProximityAnswer,
): { readonly hit: Hit; readonly others: number } | null {
  const closest = closestOf(hits, answer);
  if (closest === null) return null;
  const { rank, distanceM } = closest;
  const level = hits.filter((hit) => hit.distanceM <= distanceM + ROUNDING_M && rankOf(hit, answer) === rank);
  const [hit] = level.length === 1 ? level : level.toSorted((a, b) => inPrecedence(a, b, answer));
  return { hit: hit!, others: level.length - 1 };
}

function inPrecedence(a: Hit, b: Hit, { precedence = [] }: ProximityAnswer): number {
  for (const rule of precedence) {
    const difference = placeIn(rule, a) - placeIn(rule, b);
    if (difference !== 0) return difference;
  }
  return a.id - b.id;
}

/** Values that are not listed come last. */
function placeIn({ field, values }: FieldFilter, { attributes }: Hit): number {
  const place = values.indexOf(wordOf(attributes[field]));
  return place < 0 ? values.length : place;
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
  return closestOf(hits, answer)?.rank ?? OUTSIDE;
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
