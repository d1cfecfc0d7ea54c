import { compareAnswers } from '../../../src/features/compare/compare-answers.ts';
import { keptAnswerOf, type KeptAnswer } from '../../../src/features/compare/kept-answer.ts';
import { expectedOf, type Place, type TwoProvinces } from './two-provinces.ts';

export interface Checked {
  /** What differs from the expectation, in words. */
  readonly wrong: readonly string[];
  /** How often each change and each cause was found. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Compares the answers at all places, by the data, by the definitions and by both, and holds the changes against what was drawn. */
export function wrongChanges(places: readonly Place[], { answers }: TwoProvinces): Checked {
  const counts = new Map<string, number>();
  const wrong = places.flatMap((place, i) => {
    const { before, ...others } = answers(place, i);
    return (Object.entries(others) as [keyof typeof others, unknown][]).flatMap(([side, now]) => {
      const { layers, changed } = compareAnswers(keptAnswerOf(before), now as KeptAnswer);
      const kind = { isRedefined: side !== 'now', isSameData: side === 'redefined' };
      const expected = expectedOf(place, kind);
      const unforeseen = changed.filter((key) => !(key in expected)).map((key) => `${side} ${i}: ${key} has changed`);
      const others = Object.entries(expected).flatMap(([key, { change, cause }]) => {
        const { change: found, cause: why = null } = layers[key]!;
        for (const word of [found, why]) if (word !== null) counts.set(word, (counts.get(word) ?? 0) + 1);
        if (found === change && why === cause) return [];
        return [
          `${side} ${i}: ${key} ${found} by ${why}, not ${change} by ${cause}: ${JSON.stringify({ place, is: layers[key] })}`,
        ];
      });
      return [...unforeseen, ...others];
    });
  });
  return { wrong, counts };
}
