import type { BooleanAnswer } from '../../../src/catalogue/definition.ts';
import { absent, LayerAnswer, nothingFound } from './layer-answer.ts';
import { sharesOf } from '../../areas/shares.ts';
import { usualValue } from '../../areas/usual-values.ts';
import { decidingAtPlace, nearestEdgeM, readingAtPlace, unknownWhereUnclear, type AnswerKind } from './kind.ts';

const yes = new LayerAnswer(true, 'present', 0);
const no = absent(false);
const nowhere = usualValue({ share: 0, unknownShare: 0 });

/** True inside or on a feature. */
export const booleanKind: AnswerKind<BooleanAnswer> = {
  answer: (view, dataSet) => (view.near(dataSet, 0).length > 0 ? yes : nothingFound(view, dataSet, no)),
  area: (view, dataSet) => {
    let presentM2 = 0;
    const absentM2 = view.covered(dataSet, (_feature, areaM2) => (presentM2 += areaM2));
    const { of, unknown } = sharesOf([presentM2, absentM2], view.areaM2);
    if (of[1] === 1) return nowhere;
    return unknown === 1 ? null : { share: of[0]!, unknownShare: unknown };
  },
  nearestChangeM: nearestEdgeM,
  alwaysNeedsCoverage: false,
  knownAroundM: () => 0,
  readings: (dataSet) => [readingAtPlace(dataSet, [])],
  besideUnclear: unknownWhereUnclear,
  deciding: (view, tables, { given }) => decidingAtPlace(view, tables, { given }),
  labelField: () => undefined,
};
