import type { AnswerDefinition } from '../../src/catalogue/definition.ts';
import type { Catalogue } from '../../src/catalogue/read-definitions.ts';
import { outermostM } from '../answers/proximity.ts';
import type { IndexedDataSet } from './split.ts';

/**
 * What the index must hold of each data set so that every answer comes from one leaf: features within the largest distance at
 * which one can matter. `loaded` are the tables of the snapshot, with `province`, and `coverage` among them.
 */
export function indexedDataSets(answers: Catalogue['answers'], loaded: readonly string[]): IndexedDataSet[] {
  return loaded.map((id) => {
    const uses = answers.flatMap(({ dataSet, answer }) => usesOf(answer, dataSet.id === id, id));
    return {
      id,
      reachM: Math.max(0, ...uses.map((use) => use.reachM)),
      nearestOnly: uses.length > 0 && uses.every((use) => use.nearestOnly),
    };
  });
}

interface Use {
  readonly reachM: number;
  readonly nearestOnly: boolean;
}

function usesOf(answer: AnswerDefinition, isOwn: boolean, id: string): Use[] {
  switch (answer.kind) {
    case 'boolean':
    case 'value':
    case 'object':
      return isOwn ? [{ reachM: 0, nearestOnly: false }] : [];
    case 'count':
      return isOwn ? [{ reachM: answer.radiusM, nearestOnly: false }] : [];
    case 'proximity': {
      const reachM = outermostM(answer);
      // A feature that the answer may pass over does not make a farther one unneeded.
      const isPlain = answer.ignore === undefined && answer.bandsFor === undefined;
      const asPartner = (answer.with ?? []).filter((part) => part.dataSet === id);
      return [
        ...(isOwn ? [{ reachM, nearestOnly: isPlain }] : []),
        ...asPartner.map((part) => ({
          reachM,
          nearestOnly: isPlain && part.only === undefined && part.ignore === undefined,
        })),
      ];
    }
  }
}
