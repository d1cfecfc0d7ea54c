import type Gdal from 'gdal-async';
import type { GeocodeResult, NearestAddress, Coordinate } from '../../../src/messages/lookup.ts';
import type { AddressNear } from '../../../src/messages/wire/near-geometry.ts';
import { geocode } from './geocode.ts';
import { GazetteerStore } from './store.ts';
import { formatCivic, formatStreet, formatAddress } from '../../../src/addresses/format.ts';
import { componentsOf } from './candidate.ts';
import { DEGREE, searchedPlace, squaresAround, type FoundNear, NearSquare } from './near-grid.ts';

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

/** More would lie on each other, and make answers larger. */
const MOST = 120;

/** Points that are read: a house with many postal codes has many. */
const MOST_READ = 4 * MOST;

/** Finds the house numbers around a place, nearest first. Points of one side of a street say only roughly where addresses are: they are left out. */
function findAround(at: Coordinate, withinM: number, store: GazetteerStore): AddressNear[] {
  const place = searchedPlace(at);
  const found = [...squaresAround(place, () => withinM)].flatMap((frame) =>
    new NearSquare(store.near(frame.id), frame).within(place, withinM),
  );
  found.sort((a, b) => a.squaredM - b.squaredM);
  const addresses = new Map<string, AddressNear>();
  for (const { square, index } of found.slice(0, MOST_READ)) {
    if (addresses.size === MOST) break;
    const point = square.point(index);
    const parts = componentsOf(point.street, { ...point, unit: null }, store);
    const [number, street] = [formatCivic(parts), formatStreet(parts)];
    const { lat, lon } = square.place(index);
    const key = `${number} ${street}`;
    if (!addresses.has(key)) addresses.set(key, { number, street, lat: lat / DEGREE, lon: lon / DEGREE });
  }
  return [...addresses.values()];
}

/** Distance on the ground within which an address belongs to a place. */
const NEAR_M = 100;

/**
 * Finds the civic address nearest to a place: the nearest building within 100 m. A point of one side of a street says only
 * roughly where its addresses are, so it counts only where no building is within 100 m.
 */
function findNearest(at: Coordinate, store: GazetteerStore): NearestAddress {
  if (!store.knowsNear) return { state: 'unavailable' };
  const place = searchedPlace(at);
  let building: FoundNear | null = null;
  let blockface: FoundNear | null = null;
  const reachM = (): number => Math.sqrt(building?.squaredM ?? NEAR_M * NEAR_M);
  for (const frame of squaresAround(place, reachM)) {
    const square = new NearSquare(store.near(frame.id), frame);
    building = nearer(building, square.nearest(place, 'building'));
    blockface = nearer(blockface, square.nearest(place, 'blockface'));
  }
  const found = building ?? blockface;
  return found ? described(found, store) : { state: 'absent' };
}

function nearer(best: FoundNear | null, other: FoundNear | null): FoundNear | null {
  return other && other.squaredM <= NEAR_M * NEAR_M && !(best && best.squaredM <= other.squaredM) ? other : best;
}

function described({ squaredM, square, index }: FoundNear, store: GazetteerStore): NearestAddress {
  const point = square.point(index);
  const components = componentsOf(point.street, { ...point, unit: null }, store);
  return {
    state: 'present',
    address: formatAddress(components),
    distanceM: Math.sqrt(squaredM),
    accuracy: point.blockface ? 'blockface' : 'building',
    components,
  };
}
