import type { BooleanAnswer } from '../../../src/catalogue/definition.ts';
import { sharesOf } from '../shares.ts';
import { usualValue } from '../usual-values.ts';
import type { AreaKind } from './kind.ts';

const nowhere = usualValue({ share: 0, unknownShare: 0 });

/** The share inside or on a feature. */
export const booleanArea: AreaKind<BooleanAnswer> = (view, dataSet) => {
  let presentM2 = 0;
  const absentM2 = view.covered(dataSet, (_feature, areaM2) => (presentM2 += areaM2));
  const { of, unknown } = sharesOf([presentM2, absentM2], view.areaM2);
  if (of[1] === 1) return nowhere;
  return unknown === 1 ? null : { share: of[0]!, unknownShare: unknown };
};
