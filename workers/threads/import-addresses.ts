/** Worker of `land-lookup load-addresses`: replaces the gazetteer in a new snapshot that keeps the layers. */
import type { MessagePort } from 'node:worker_threads';
import type { ImportAddressesResult, ImportAddressesTask, ImportProgress } from '../../src/messages/import.ts';
import { fail, type Outcome } from '../../src/messages/outcome.ts';
import { importAddresses } from '../import/addresses/import-register.ts';
import { beginLandFile, finishSnapshot } from '../import/build-snapshot.ts';
import { watchingDisk, progressPoster, type OnProgress } from '../import/progress.ts';
import { landFile } from '../geopackage/land-file.ts';
import { messageOf } from '../../src/words.ts';

type Task = ImportAddressesTask & { readonly progress: MessagePort };

export default async function run({ progress, ...task }: Task): Promise<Outcome<ImportAddressesResult>> {
  const post = progressPoster((message: ImportProgress) => {
    progress.postMessage(message);
  });
  try {
    return { ok: true, value: await buildWithAddresses(task, post) };
  } catch (cause) {
    return fail('INTERNAL', messageOf(cause));
  } finally {
    progress.close();
  }
}

async function buildWithAddresses(
  { building, definitions, from, asOf, sample, force }: ImportAddressesTask,
  report: OnProgress,
): Promise<ImportAddressesResult> {
  const onProgress = watchingDisk(building, report);
  beginLandFile(building);
  const current = building.current?.manifest;
  const last = current?.gazetteer;
  const record = await importAddresses({
    from,
    gpkg: landFile(building.folder),
    sample,
    ...(asOf === null ? {} : { asOf }),
    ...(last && !last.sample && !sample && !force ? { lastRows: last.addressRows } : {}),
    onProgress,
  });
  const content = {
    // The layers are still those built with the old definitions.
    definitions: current?.definitions ?? definitions,
    dataSets: current?.dataSets ?? {},
    gazetteer: record,
    answers: null,
  };
  return { manifest: await finishSnapshot(building, content, onProgress), record };
}
