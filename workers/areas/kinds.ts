import type { AnswerDefinition, BooleanAnswer, CountAnswer, ProximityAnswer } from '../../src/catalogue/definition.ts';
import { objectAnswers, valueAnswers, type AnswersByFeature } from '../engine/kinds/at-place.ts';
import { sharesOf, usualValue } from './shares.ts';
import type { Choice, AreaView } from './area-view.ts';
import { sideTable } from '../../src/catalogue/side-tables.ts';
import { countingHits, knownAroundM, type Judged, withStanding } from '../engine/kinds/proximity.ts';
import { outermostM, bandsOf, OUTSIDE } from '../engine/kinds/class-by-distance.ts';
import type { Standing } from '../../src/catalogue/counting.ts';
import type { AreaValue } from '../../src/messages/wire/area-lookup.ts';
import type { LayerValue } from '../../src/messages/wire/lookup.ts';
import { proximityClasses } from '../../src/catalogue/proximity-class-names.ts';
import type { AreaFeature } from './rings.ts';

/** The half for areas of an answer's kind. */
export function areaKindOf(answer: AnswerDefinition): AreaKind<AnswerDefinition> {
  return areaKinds[answer.kind] as AreaKind<AnswerDefinition>;
}

/** Returns what an answer says where a feature lies; null: nobody knows. */
export function valueOf(feature: AreaFeature, answer: AnswerDefinition): LayerValue {
  if (answer.kind === 'value') return valueAnswers.of(feature, answer).value;
  return answer.kind === 'object' ? objectAnswers.of(feature, answer).value : true;
}

const noShare = usualValue({ share: 0, unknownShare: 0 });

/** The share inside or on a feature. */
const booleanArea: AreaKind<BooleanAnswer> = (view, dataSet) => {
  let presentM2 = 0;
  const absentM2 = view.covered(dataSet, (_feature, areaM2) => (presentM2 += areaM2));
  const { of, unknown } = sharesOf([presentM2, absentM2], view.areaM2);
  if (of[1] === 1) return noShare;
  return unknown === 1 ? null : { share: of[0]!, unknownShare: unknown };
};

/** Counts the features that meet the area, and those within the radius around it. */
const countArea: AreaKind<CountAnswer> = (view, dataSet, { radiusM, members }) => {
  const { unknown } = sharesOf([view.knownM2(dataSet)], view.areaM2);
  if (unknown === 1) return null;
  const choice: Choice = (piece) => piece.features(dataSet, radiusM);
  const distances = [...view.distances(choice, radiusM).values()];
  return {
    count: distances.filter((distanceM) => distanceM === 0).length,
    [members.count]: distances.length,
    [members.nearestDistanceM]: distances.length === 0 ? null : Math.min(...distances),
    unknownShare: unknown,
  };
};

/** Returns the shares of the classes, which are nested: a place has the closest class of any feature. */
const proximityArea: AreaKind<ProximityAnswer> = (view, dataSet, answer) => {
  if (answer.judgedBy) return areaJudged(view, { dataSet, answer, rules: answer.judgedBy });
  const reachM = outermostM(answer);
  const choice: Choice = (piece) =>
    countingHits(dataSet, answer, (id) => (view.has(id) ? piece.features(id, reachM) : []));
  const table = sideTable(dataSet, 'unclear');
  const unclear: Choice | null = view.has(table) ? (piece) => piece.features(table, reachM) : null;
  const { areas: nested, all } = classAreas(view, { choice, unclear }, answer);
  const outsideM2 = view.knowsProvince(dataSet)
    ? view.insideOntarioM2 - nested.withinAllM2
    : view.knownBeyond(
        dataSet,
        { choice: all, limitM: (feature) => outermostAround(feature, answer) },
        knownAroundM(answer),
      );
  return areaValue(view, [...nested.known, outsideM2], view.nearestM(choice, reachM));
};

/** Returns the shares of the classes where the rules of the answer say which features count: "outside" only where somebody has looked. */
function areaJudged(view: AreaView, { dataSet, answer, rules }: Judged): AreaValue {
  const reachM = outermostM(answer);
  const choiceOf =
    (...standings: readonly Standing[]): Choice =>
    (piece) =>
      withStanding(piece.all(dataSet, reachM), rules, ...standings);
  const choice = choiceOf('yes');
  const { areas } = classAreas(view, { choice, unclear: choiceOf('unclear') }, answer);
  const [lookedAtM2] = view.within(choiceOf('yes', 'unclear', 'no'), [
    (feature) => outermostAround(feature, answer),
  ]) as [number];
  return areaValue(view, [...areas.known, lookedAtM2 - areas.withinAllM2], view.nearestM(choice, reachM));
}

type AreaKinds = {
  readonly [Kind in AnswerDefinition['kind']]: AreaKind<Extract<AnswerDefinition, { kind: Kind }>>;
};

/** What each kind of answer gives for an area (workers/engine/kinds has what it gives at a place). */
const areaKinds: AreaKinds = {
  boolean: booleanArea,
  value: partsBy(valueAnswers),
  object: partsBy(objectAnswers),
  proximity: proximityArea,
  count: countArea,
};

const noParts = usualValue({ parts: [], unknownShare: 0 });

/** Returns the shares of an area by value, the largest first. Features with the same value are one part. */
function partsBy<A extends object>(answers: AnswersByFeature<A>): AreaKind<A> {
  return (view, dataSet, answer) => {
    const parts: { readonly value: LayerValue; readonly json: string; areaM2: number }[] = [];
    const absentM2 = view.covered(dataSet, (feature, areaM2) => {
      const { value, json } = answers.of(feature, answer);
      const part = parts.find((one) => one.json === json);
      if (part) part.areaM2 += areaM2;
      else if (value !== null) parts.push({ value, json, areaM2 });
    });
    parts.sort((a, b) => b.areaM2 - a.areaM2);
    const { of, unknown } = sharesOf([...parts.map(({ areaM2 }) => areaM2), absentM2], view.areaM2);
    if (unknown === 1) return null;
    if (of.at(-1) === 1) return noParts;
    const shown = parts.map(({ value }, i) => ({ value, share: of[i]! })).filter(({ share }) => share > 0);
    return { parts: shown, unknownShare: unknown };
  };
}

/** Answers a layer of one kind for an area; null where nothing is known. The caller has checked that the snapshot holds the data set. */
type AreaKind<A> = (view: AreaView, dataSet: string, answer: A) => AreaValue;

// The shares of an area by the class of the distance to features.

/** The place of the widest class. */
const ADJACENT = proximityClasses.indexOf('adjacent');

const allOutside = usualValue({
  bands: bandsBy(proximityClasses.map((_, i) => (i === OUTSIDE ? 1 : 0))),
  distanceM: null,
  unknownShare: 0,
});

/** Returns the areas of the classes, and the features round which none is "outside". */
function classAreas(
  view: AreaView,
  { choice, unclear }: { readonly choice: Choice; readonly unclear: Choice | null },
  answer: ProximityAnswer,
): {
  readonly areas: {
    /** Ground square metres of each class but the last, where no unclear feature would give a closer one. */
    readonly known: readonly [number, number, number];
    /** Ground square metres within the bands of any feature. */
    readonly withinAllM2: number;
  };
  readonly all: Choice;
} {
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
function outermostAround(feature: AreaFeature, answer: ProximityAnswer): number {
  return areaLimitM(feature, answer, ADJACENT);
}

/** Returns the value for the ground square metres of each class. */
function areaValue(view: AreaView, byClassM2: readonly number[], distanceM: number | null): AreaValue {
  const { of, unknown } = sharesOf(byClassM2, view.areaM2);
  if (unknown === 1) return null;
  if (of[OUTSIDE] === 1 && distanceM === null) return allOutside;
  return { bands: bandsBy(of), distanceM, unknownShare: unknown };
}

function bandsBy(shares: readonly number[]): Readonly<Record<string, number>> {
  const bands: Record<string, number> = {};
  proximityClasses.forEach((name, i) => (bands[name] = shares[i]!));
  return bands;
}
