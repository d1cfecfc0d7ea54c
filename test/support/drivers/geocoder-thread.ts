/** A thread that does nothing but geocode: for measuring what one costs. */
import { workerData } from 'node:worker_threads';
import { gdal } from '../../../workers/geopackage/gdal.ts';
import { underLoadLock } from '../../../workers/geopackage/load-lock.ts';
import { openGazetteer } from '../../../workers/engine/gazetteer/open.ts';
import { openSuggester } from '../../../workers/suggest/feature.ts';

const { gpkg, names } = workerData as { readonly gpkg: string; readonly names: SharedArrayBuffer | null };
const options = { IMMUTABLE: 'YES', LIST_ALL_TABLES: 'NO' };
const { gazetteer, suggester } = underLoadLock(() => {
  const dataset = gdal.drivers.get('GPKG').open(gpkg, 'r', options);
  const opened = openGazetteer(dataset);
  return { gazetteer: opened, suggester: names && openSuggester(dataset, opened.store, names) };
});

/** How many of some addresses are found, or how many of some typed texts have suggestions. */
export default function ask({ texts, suggests }: Asked): number {
  if (suggests) return texts.filter((text) => suggester!.suggest(text, 5).length > 0).length;
  return texts.filter((text) => 'found' in gazetteer.geocode(text)).length;
}

export interface Asked {
  readonly texts: readonly string[];
  readonly suggests: boolean;
}
