import { formatCivic, formatStreet } from '../../../src/addresses/format.ts';
import type { Coordinate } from '../../../src/messages/lookup.ts';
import type { AddressNear } from '../../../src/messages/wire/near-geometry.ts';
import { componentsOf } from './candidate.ts';
import { DEGREE, searchedPlace, squaresAround } from './near-grid.ts';
import { NearSquare } from './near-square.ts';
import type { GazetteerStore } from './store.ts';

/** More would lie on each other, and make answers larger. */
const MOST = 120;

/** Points that are read: a house with many postal codes has many. */
const MOST_READ = 4 * MOST;

/** Finds the house numbers around a place, nearest first. Points of one side of a street say only roughly where addresses are: they are left out. */
export function findAround(at: Coordinate, withinM: number, store: GazetteerStore): AddressNear[] {
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
