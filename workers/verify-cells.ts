/** Worker of `land-lookup verify`: compares the read paths of a snapshot on a share of the places. */
import type { MessagePort } from 'node:worker_threads';
import type { CellComparison, VerifyProgress, VerifyTask } from '../src/contract/verify.ts';
import { fail, type Outcome } from '../src/outcome.ts';
import { readCatalogue } from '../src/catalogue/read-definitions.ts';
import { verifyCellIndex } from './cells/verify.ts';
import { openSnapshot } from './snapshot.ts';

type Task = VerifyTask & { readonly progress: MessagePort };

/** Places between two messages of progress. */
const PROGRESS_EVERY = 20;

export default function run({ progress, folder, layersDir, places, seed }: Task): Outcome<CellComparison> {
  try {
    const snapshot = openSnapshot(folder);
    const { answers } = readCatalogue(layersDir);
    const onPlaces = (done: number): void => {
      if (done % PROGRESS_EVERY === 0) progress.postMessage({ done } satisfies VerifyProgress);
    };
    const value = verifyCellIndex(snapshot, { answers, places, seed, onPlaces });
    snapshot.close();
    return { ok: true, value };
  } catch (cause) {
    return fail('INTERNAL', cause instanceof Error ? cause.message : 'the comparison failed');
  } finally {
    progress.close();
  }
}
