import type { CountAnswer } from '../../../src/catalogue/definition.ts';
import type { Choice } from '../area-view.ts';
import { sharesOf } from '../shares.ts';
import type { AreaKind } from './kind.ts';

/** Counts the features that meet the area, and those within the radius around it. */
export const countArea: AreaKind<CountAnswer> = (view, dataSet, { radiusM, members }) => {
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
