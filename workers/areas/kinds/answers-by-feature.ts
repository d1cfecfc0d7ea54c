import type { LayerValue } from '../../../src/messages/wire/lookup.ts';
import type { AnswersByFeature } from '../../engine/kinds/answers-by-feature.ts';
import { sharesOf, usualValue } from '../shares.ts';
import type { AreaValue } from '../../../src/messages/wire/area-lookup.ts';
import type { AreaView } from '../area-view.ts';

const nowhere = usualValue({ parts: [], unknownShare: 0 });

/** Returns the shares of an area by value, the largest first. Features with the same value are one part. */
export function partsBy<A extends object>(answers: AnswersByFeature<A>): AreaKind<A> {
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
    if (of.at(-1) === 1) return nowhere;
    const shown = parts.map(({ value }, i) => ({ value, share: of[i]! })).filter(({ share }) => share > 0);
    return { parts: shown, unknownShare: unknown };
  };
}

/** Answers a layer of one kind for an area; null where nothing is known. The caller has checked that the snapshot holds the data set. */
export type AreaKind<A> = (view: AreaView, dataSet: string, answer: A) => AreaValue;
