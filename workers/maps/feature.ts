/** Writes `geometry` of an answer: what is near, and what a map without another map beneath it needs besides. */
import { allAnswers, type Catalogue } from '../../src/catalogue/catalogue.ts';
import type { ServedSnapshot, ThreadFeature, WriteGeometry } from '../engine/feature.ts';
import { neededFromIndex } from '../engine/kinds/indexed-data-sets.ts';
import { dataSetOrder, nearGeometry, nearJson, RADIUS_M } from './near-geometry.ts';
import { notReached } from './not-reached.ts';
import { openOutlines, readOutlineNodes } from './open-outlines.ts';

/** Farther than this nobody looks for a neighbour. */
const ADDRESSES_WITHIN_M = 250;

/** The features around a place as shapes, for `geometry=near` and `geometry=map`. */
export const maps: ThreadFeature = {
  name: 'maps',
  share: (snapshot) => (snapshot.manifest.cells ? readOutlineNodes(snapshot) : null),
  open: (from, { answers, further, shared }) => {
    const needed = neededFromIndex(allAnswers({ answers, further }), from.snapshot);
    const outlines = from.cells && shared && openOutlines(from.snapshot, from.cells, { nodes: shared, needed });
    const shown = shownOf(answers);
    return {
      writeGeometry(around, what, asked) {
        const { answers: all, order } = asked.length === 0 ? shown : shownOf([...answers, ...asked]);
        const near = outlines
          ? nearJson(outlines, around, order)
          : JSON.stringify(nearGeometry(from.snapshot, around, all));
        return what === 'near' ? near : withSurroundings(from, { around, near, answers: all });
      },
    };
  },
};

function shownOf(answers: Catalogue['answers']) {
  return { answers, order: dataSetOrder(answers) };
}

interface Near {
  readonly answers: Catalogue['answers'];
  readonly around: Parameters<WriteGeometry>[0];
  /** A `NearGeometry` with what is near alone. */
  readonly near: string;
}

/** Writes the same with the addresses around, and where the data of hazards do not reach. */
function withSurroundings({ snapshot, gazetteer }: ServedSnapshot, { around, near, answers }: Near): string {
  const withinM = Math.min(around.radiusM ?? RADIUS_M, ADDRESSES_WITHIN_M);
  const besides = {
    addresses: gazetteer?.around(around, withinM) ?? [],
    notReached: notReached(snapshot, around, answers),
  };
  return `${near.slice(0, -1)},${JSON.stringify(besides).slice(1)}`;
}
