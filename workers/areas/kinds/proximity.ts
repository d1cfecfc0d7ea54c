import type { ProximityAnswer } from '../../../src/catalogue/definition.ts';
import { sideTable } from '../../../src/catalogue/side-tables.ts';
import { countingHits, knownAroundM } from '../../engine/kinds/proximity.ts';
import { outermostM } from '../../engine/kinds/proximity-classes.ts';
import type { Choice } from '../area-view.ts';
import { areaValue, classAreas, outermostAround } from './class-areas.ts';
import { areaJudged } from './judged-proximity.ts';
import type { AreaKind } from './kind.ts';

/** Returns the shares of the classes, which are nested: a place has the closest class of any feature. */
export const proximityArea: AreaKind<ProximityAnswer> = (view, dataSet, answer) => {
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
