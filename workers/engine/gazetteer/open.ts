import type Gdal from 'gdal-async';
import type { GeocodeResult, NearestAddress } from '../../../src/messages/geocode.ts';
import type { Coordinate } from '../../../src/messages/lookup.ts';
import type { AddressNear } from '../../../src/messages/wire/near-geometry.ts';
import { findAround } from './around.ts';
import { geocode } from './geocode.ts';
import { findNearest } from './nearest.ts';
import { GazetteerStore } from './store.ts';

/** The address register of a snapshot. */
export interface Gazetteer {
  /** Its rows, for features that read them. */
  readonly store: GazetteerStore;
  /** Turns text into a civic point. */
  geocode(address: string): GeocodeResult;
  /** Turns a place into the address nearest to it. */
  nearest(at: Coordinate): NearestAddress;
  /** Returns the house numbers around a place, nearest first, each number of a street once. None where the register was imported without them. */
  around(at: Coordinate, withinM: number): readonly AddressNear[];
}

/**
 * Opens the gazetteer of a snapshot's GeoPackage. It uses the dataset's layers, so the dataset must stay open.
 * @throws Error when there is none, or it was built with another version of the normaliser.
 */
export function openGazetteer(dataset: Gdal.Dataset): Gazetteer {
  const store = new GazetteerStore(dataset);
  return {
    store,
    geocode: (address) => geocode(address, store),
    nearest: (at) => findNearest(at, store),
    around: (at, withinM) => findAround(at, withinM, store),
  };
}
