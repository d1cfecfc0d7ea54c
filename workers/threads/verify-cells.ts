/** Worker of `land-lookup verify`: compares the read paths of a snapshot on a share of the places. */
import type { MessagePort } from 'node:worker_threads';
import type { CellComparison, VerifyProgress, VerifyTask } from '../../src/messages/verify.ts';
import { fail, type Outcome } from '../../src/messages/outcome.ts';
import { verifyCellIndex } from '../verify/verify-cell-index.ts';
import { openSnapshot, rulesOf } from '../geopackage/snapshot.ts';
import { messageOf } from '../../src/words.ts';

type Task = VerifyTask & { readonly progress: MessagePort };

/** Places between two messages of progress. */
const PROGRESS_EVERY = 20;

export default function run({ progress, folder, answers, places, seed }: Task): Outcome<CellComparison> {
  try {
    const snapshot = openSnapshot(folder, { rules: rulesOf(answers) });
    const onPlaces = (done: number): void => {
      if (done % PROGRESS_EVERY === 0) progress.postMessage({ done } satisfies VerifyProgress);
    };
    const value = verifyCellIndex(snapshot, { answers, withEvidence: true, places, seed, onPlaces });
    snapshot.close();
    return { ok: true, value };
  } catch (cause) {
    return fail('INTERNAL', messageOf(cause));
  } finally {
    progress.close();
  }
}
