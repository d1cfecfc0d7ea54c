/** The shares of an area by the class of the distance to features. */
import type { ProximityAnswer } from '../../../src/catalogue/definition.ts';
import { proximityClasses } from '../../../src/catalogue/proximity-classes.ts';
import type { AreaValue } from '../../../src/messages/wire/area-lookup.ts';
import type { AreaFeature } from '../area-feature.ts';
import type { AreaView, Choice } from '../area-view.ts';
import { sharesOf, usualValue } from '../shares.ts';
import { bandsOf, OUTSIDE } from '../../engine/kinds/proximity-classes.ts';

/** The place of the widest class. */
const ADJACENT = proximityClasses.indexOf('adjacent');

const nowhere = usualValue({
  bands: bandsBy(proximityClasses.map((_, i) => (i === OUTSIDE ? 1 : 0))),
  distanceM: null,
  unknownShare: 0,
});

interface NestedAreas {
  /** Ground square metres of each class but the last, where no unclear feature would give a closer one. */
  readonly known: readonly [number, number, number];
  /** Ground square metres within the bands of any feature. */
  readonly withinAllM2: number;
}

/** Returns the areas of the classes, and the features round which none is "outside". */
export function classAreas(
  view: AreaView,
  { choice, unclear }: { readonly choice: Choice; readonly unclear: Choice | null },
  answer: ProximityAnswer,
): { readonly areas: NestedAreas; readonly all: Choice } {
  const limits = [0, 1, 2].map((rank) => (feature: AreaFeature) => areaLimitM(feature, answer, rank));
  const [inside, regulated, adjacent] = view.within(choice, limits) as [number, number, number];
  if (unclear === null) {
    const known = [inside, regulated - inside, adjacent - regulated] as const;
    return { areas: { known, withinAllM2: adjacent }, all: choice };
  }
  const doubtful = new WeakSet<AreaFeature>();
  const all: Choice = (piece) => {
    const apart = unclear(piece);
    for (const feature of apart) doubtful.add(feature);
    return [...choice(piece), ...apart];
  };
  const [anyInside, anyRegulated, anyAdjacent] = view.within(all, limits) as [number, number, number];
  // Where an unclear feature would give a closer class than the features that count, nothing is known.
  const closer = [1, 2].map(
    (rank) => (feature: AreaFeature) => areaLimitM(feature, answer, doubtful.has(feature) ? rank - 1 : rank),
  );
  const [mixedRegulated, mixedAdjacent] = closer.map((limitM) => view.within(all, [limitM])[0]!) as [number, number];
  const known = [inside, mixedRegulated - anyInside, mixedAdjacent - anyRegulated] as const;
  return { areas: { known, withinAllM2: anyAdjacent }, all };
}

/** Returns the metres round a feature in which a place has at least the class of a rank. A place on a line or point has no area. */
function areaLimitM(feature: AreaFeature, answer: ProximityAnswer, rank: number): number {
  const inside = answer.insideWithinM ?? 0;
  if (rank === 0) return inside;
  const { regulated = 0, adjacent = 0 } = bandsOf(feature, answer);
  return rank === ADJACENT ? Math.max(inside, regulated, adjacent) : Math.max(inside, regulated);
}

/** Returns the metres round a feature in which a place is not "outside". */
export function outermostAround(feature: AreaFeature, answer: ProximityAnswer): number {
  return areaLimitM(feature, answer, ADJACENT);
}

/** Returns the value for the ground square metres of each class. */
export function areaValue(view: AreaView, byClassM2: readonly number[], distanceM: number | null): AreaValue {
  const { of, unknown } = sharesOf(byClassM2, view.areaM2);
  if (unknown === 1) return null;
  if (of[OUTSIDE] === 1 && distanceM === null) return nowhere;
  return { bands: bandsBy(of), distanceM, unknownShare: unknown };
}

function bandsBy(shares: readonly number[]): Readonly<Record<string, number>> {
  const bands: Record<string, number> = {};
  proximityClasses.forEach((name, i) => (bands[name] = shares[i]!));
  return bands;
}
