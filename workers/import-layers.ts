/** Worker of `land-lookup load-layers` and `snapshot verify`: reads source files into a new snapshot. */
import type { MessagePort } from 'node:worker_threads';
import type { ImportLayersResult, ImportLayersTask, ImportProgress } from '../src/contract/import.ts';
import { fail, type Outcome } from '../src/outcome.ts';
import { importLayers } from './import/import-layers.ts';
import { progressPoster } from './import/progress.ts';
import { verifySnapshot } from './import/verify-snapshot.ts';

type Task = ImportLayersTask & { readonly progress: MessagePort };

export default async function run({ progress, ...task }: Task): Promise<Outcome<ImportLayersResult | null>> {
  const post = progressPoster((message: ImportProgress) => {
    progress.postMessage(message);
  });
  try {
    if (task.kind === 'verify') {
      verifySnapshot(task.folder, post);
      return { ok: true, value: null };
    }
    return { ok: true, value: await importLayers(task, post) };
  } catch (cause) {
    return fail('INTERNAL', cause instanceof Error ? cause.message : 'the import failed');
  } finally {
    progress.close();
  }
}
