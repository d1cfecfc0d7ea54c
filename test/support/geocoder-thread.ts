/** A thread that does nothing but geocode: for measuring what one costs. */
import { workerData } from 'node:worker_threads';
import { gdal } from '../../workers/geopackage/gdal.ts';
import { underLoadLock } from '../../workers/geopackage/load-lock.ts';
import { openGazetteer } from '../../workers/lookup/gazetteer/open.ts';

const { gpkg } = workerData as { readonly gpkg: string };
const options = { IMMUTABLE: 'YES', LIST_ALL_TABLES: 'NO' };
const gazetteer = underLoadLock(() => openGazetteer(gdal.drivers.get('GPKG').open(gpkg, 'r', options)));

/** How many of some addresses are found. */
export default function geocodeAll(addresses: readonly string[]): number {
  return addresses.filter((address) => 'found' in gazetteer.geocode(address)).length;
}
