import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import type { ThreadFeature } from '../engine/feature.ts';
import { kindOf } from '../engine/kinds/kinds.ts';
import type { PlaceView } from '../engine/views/view.ts';

/** What is known of a place, without what it is: a `CoverageBody`. */
export const coverage: ThreadFeature = {
  name: 'coverage',
  open: (_from, { answers }) => ({
    writePlace: ({ view, geocode }) => {
      const known = Object.fromEntries(answers.map((one) => [one.answer.key, isKnown(view, one)]));
      const address = 'score' in geocode ? { accuracy: geocode.accuracy, score: geocode.score } : null;
      return JSON.stringify({ known, address });
    },
  }),
};

/**
 * Whether the data set reaches the place, which no feature decides. A data set that knows only where it has a feature would tell by this that there is one:
 * such an answer is known only where what it says is which one, as a kind of soil, and not that there is one, as a flood.
 */
function isKnown(view: PlaceView, { dataSet, answer }: Catalogue['answers'][number]): boolean {
  if (!view.has(dataSet.id)) return false;
  const kind = kindOf(answer);
  if (view.covers(dataSet.id, kind.knownAroundM(answer))) return true;
  const { concern = 'nearby' } = answer.reader ?? {};
  const saysWhich = answer.kind === 'value' || answer.kind === 'object';
  if (!saysWhich || concern === 'hazard' || concern === 'restriction') return false;
  return kind.answer(view, dataSet.id, answer).state === 'present';
}
