/**
 * Worker of `land-lookup load-layers` and `snapshot verify`: inspects source files and reads them into a new snapshot.
 */
import type { MessagePort } from 'node:worker_threads';
import type {
  FileInspection,
  ImportLayersResult,
  ImportLayersTask,
  ImportProgress,
} from '../../src/messages/import.ts';
import { fail, type Outcome } from '../../src/messages/outcome.ts';
import { inspectDownload } from '../import/sources/download-input.ts';
import { importDataSets } from '../import/import-data-sets.ts';
import { progressPoster } from '../import/progress.ts';
import { checkGeoPackage } from '../import/sources/check-geopackage.ts';
import { landFile } from '../geopackage/land-file.ts';
import { verifySnapshot } from '../verify/verify-land-file.ts';
import { messageOf } from '../../src/words.ts';

type Task = ImportLayersTask & { readonly progress: MessagePort };

export default async function run({
  progress,
  ...task
}: Task): Promise<Outcome<ImportLayersResult | FileInspection | null>> {
  const post = progressPoster((message: ImportProgress) => {
    progress.postMessage(message);
  });
  try {
    if (task.kind === 'verify') {
      if (task.isForeign === true) checkGeoPackage(landFile(task.folder));
      verifySnapshot(task.folder, post);
      return { ok: true, value: null };
    }
    if (task.kind === 'inspect') return { ok: true, value: await inspectDownload(task) };
    return { ok: true, value: await importDataSets(task, post) };
  } catch (cause) {
    return fail('INTERNAL', messageOf(cause));
  } finally {
    progress.close();
  }
}
