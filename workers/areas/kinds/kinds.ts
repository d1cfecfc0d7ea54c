import type {
  AnswerDefinition,
  BooleanAnswer,
  CountAnswer,
  ProximityAnswer,
} from '../../../src/catalogue/definition.ts';
import { objectAnswers } from '../../engine/kinds/object.ts';
import { valueAnswers } from '../../engine/kinds/value.ts';
import { type AreaKind, partsBy } from './answers-by-feature.ts';
import { sharesOf, usualValue } from '../shares.ts';
import type { Choice, AreaView } from '../area-view.ts';
import { sideTable } from '../../../src/catalogue/side-tables.ts';
import { countingHits, knownAroundM } from '../../engine/kinds/proximity.ts';
import { outermostM } from '../../engine/kinds/proximity-classes.ts';
import { areaValue, classAreas, outermostAround } from './class-areas.ts';
import type { Standing } from '../../../src/catalogue/counting.ts';
import type { AreaValue } from '../../../src/messages/wire/area-lookup.ts';
import { type Judged, withStanding } from '../../engine/kinds/judged-proximity.ts';

/** The half for areas of an answer's kind. */
export function areaKindOf(answer: AnswerDefinition): AreaKind<AnswerDefinition> {
  return areaKinds[answer.kind] as AreaKind<AnswerDefinition>;
}

const nowhere = usualValue({ share: 0, unknownShare: 0 });

/** The share inside or on a feature. */
const booleanArea: AreaKind<BooleanAnswer> = (view, dataSet) => {
  let presentM2 = 0;
  const absentM2 = view.covered(dataSet, (_feature, areaM2) => (presentM2 += areaM2));
  const { of, unknown } = sharesOf([presentM2, absentM2], view.areaM2);
  if (of[1] === 1) return nowhere;
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
