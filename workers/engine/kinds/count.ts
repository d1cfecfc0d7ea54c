import type { CountAnswer } from '../../../src/catalogue/definition.ts';
import { ROUNDING_M } from '../../../src/messages/verify.ts';
import type { Attribute } from '../../geopackage/attribute.ts';
import { LayerAnswer, notCovered, type AnswerKind } from './kind.ts';
import type { PlaceView } from '../views/view.ts';
import { fieldsOf, memberValue } from './member-value.ts';

/** How many features lie within a radius, and what the nearest is. */
export const countKind: AnswerKind<CountAnswer> = {
  answer: answerCount,
  nearestChangeM: (view, { dataSet, answer: { radiusM } }, searchM) => {
    let nearestM = Infinity;
    for (const { distanceM } of view.edges(dataSet, radiusM + searchM))
      nearestM = Math.min(nearestM, Math.abs(distanceM - radiusM));
    return nearestM;
  },
  alwaysNeedsCoverage: true,
  knownAroundM: () => 0,
  searchedM: ({ radiusM }) => radiusM,
  readings: (dataSet, { radiusM, nearest }) => [
    { dataSet, reachM: radiusM, nearestOnly: false, fields: fieldsOf(nearest), readsNearestOfMany: true },
  ],
  limitsM: ({ radiusM }) => [radiusM],
  deciding: (view, { dataSet, unclear }, { given: { distanceM }, answer: { radiusM } }) => ({
    distanceM,
    others: distanceM === null ? 0 : view.near(dataSet, Math.min(radiusM, distanceM + ROUNDING_M)).length - 1,
    // Counted apart, because a guess would be worse than a smaller number.
    feature: unclear === null ? undefined : { unclearCount: view.near(unclear, radiusM).length },
  }),
  labelField: () => undefined,
};

/** Answers a count. Nothing within the radius gives a count of 0; only a place without coverage gives null. */
function answerCount(view: PlaceView, dataSet: string, answer: CountAnswer): LayerAnswer {
  const hits = view.near(dataSet, answer.radiusM);
  const [nearest] = hits;
  if (!view.covers(dataSet, 0)) return notCovered;
  const value: Record<string, Attribute> = {
    [answer.members.count]: hits.length,
    [answer.members.nearestDistanceM]: nearest ? Math.round(nearest.distanceM) : null,
  };
  for (const [name, member] of Object.entries(answer.nearest))
    value[name] = nearest ? memberValue(nearest, member) : null;
  return new LayerAnswer(value, nearest ? 'present' : 'absent', nearest?.distanceM ?? null);
}
