import type { Standing } from '../../../src/catalogue/counting.ts';
import type { AreaValue } from '../../../src/messages/wire/area-lookup.ts';
import { withStanding, type Judged } from '../../engine/kinds/judged-proximity.ts';
import { outermostM } from '../../engine/kinds/proximity-classes.ts';
import type { AreaView, Choice } from '../area-view.ts';
import { areaValue, classAreas, outermostAround } from './class-areas.ts';

/** Returns the shares of the classes where the rules of the answer say which features count: "outside" only where somebody has looked. */
export function areaJudged(view: AreaView, { dataSet, answer, rules }: Judged): AreaValue {
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
