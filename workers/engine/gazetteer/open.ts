import type Gdal from 'gdal-async';
import type { Gazetteer } from '../../../src/messages/geocode.ts';
import { openSuggester, readStreetNames } from '../../suggest/open.ts';
import { findAround } from './around.ts';
import { geocode } from './geocode.ts';
import { findNearest } from './nearest.ts';
import { GazetteerStore } from './store.ts';

/**
 * Opens the gazetteer of a snapshot's GeoPackage. It uses the dataset's layers, so the dataset must stay open.
 * @param names the list of street names, which threads share; null: the register was imported without one.
 * @throws Error when there is none, or it was built with another version of the normaliser.
 */
export function openGazetteer(dataset: Gdal.Dataset, names = readStreetNames(dataset)): Gazetteer {
  const store = new GazetteerStore(dataset);
  const suggester = names && openSuggester(dataset, store, names);
  return {
    geocode: (address) => geocode(address, store),
    nearest: (at) => findNearest(at, store),
    around: (at, withinM) => findAround(at, withinM, store),
    suggest: (text, limit) => suggester && suggester.suggest(text, limit),
  };
}
