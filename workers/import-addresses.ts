/** Worker of `land-lookup load-addresses`: replaces the gazetteer in a new snapshot that keeps the layers. */
import type { MessagePort } from 'node:worker_threads';
import { readCatalogue } from '../src/catalogue/read-definitions.ts';
import type { ImportAddressesResult, ImportAddressesTask, ImportProgress } from '../src/contract/import.ts';
import { fail, type Outcome } from '../src/outcome.ts';
import { importAddresses } from './gazetteer/import.ts';
import { startBuilding } from './import/building.ts';
import { landFile } from './import/land-file.ts';
import { progressPoster, type OnProgress } from './import/progress.ts';

type Task = ImportAddressesTask & { readonly progress: MessagePort };

export default async function run({ progress, ...task }: Task): Promise<Outcome<ImportAddressesResult>> {
  const post = progressPoster((message: ImportProgress) => {
    progress.postMessage(message);
  });
  try {
    return { ok: true, value: await buildWithAddresses(task, post) };
  } catch (cause) {
    return fail('INTERNAL', cause instanceof Error ? cause.message : 'the import failed');
  } finally {
    progress.close();
  }
}

async function buildWithAddresses(
  { dataDir, layersDir, from, asOf, sample }: ImportAddressesTask,
  onProgress: OnProgress,
): Promise<ImportAddressesResult> {
  using building = startBuilding(dataDir);
  const record = await importAddresses({
    from,
    gpkg: landFile(building.folder),
    sample,
    ...(asOf === null ? {} : { asOf }),
    onProgress,
  });
  const current = building.current?.manifest;
  const content = {
    // The layers are still those built with the old definitions.
    definitions: current?.definitions ?? readCatalogue(layersDir).version,
    dataSets: current?.dataSets ?? {},
    gazetteer: record,
    answers: null,
  };
  const snapshot = await building.publish(content, onProgress);
  return { snapshot, record };
}
