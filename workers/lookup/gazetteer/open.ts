import type Gdal from 'gdal-async';
import type { Gazetteer } from '../../../src/shared/contract/geocode.ts';
import { geocode } from './geocode.ts';
import { findNearest } from './nearest.ts';
import { GazetteerStore } from './store.ts';

/**
 * Opens the gazetteer of a snapshot's GeoPackage. It uses the dataset's layers, so the dataset must stay open.
 * @throws Error when there is none, or it was built with another version of the normaliser.
 */
export function openGazetteer(dataset: Gdal.Dataset): Gazetteer {
  const store = new GazetteerStore(dataset);
  return { geocode: (address) => geocode(address, store), nearest: (at) => findNearest(at, store) };
}
