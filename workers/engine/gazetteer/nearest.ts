import { formatAddress } from '../../../src/addresses/format.ts';
import type { NearestAddress } from '../../../src/messages/geocode.ts';
import type { Coordinate } from '../../../src/messages/lookup.ts';
import { componentsOf } from './candidate.ts';
import { searchedPlace, squaresAround } from './near-grid.ts';
import { NearSquare, type FoundNear } from './near-square.ts';
import type { GazetteerStore } from './store.ts';

/** Distance on the ground within which an address belongs to a place. */
const NEAR_M = 100;

/**
 * Finds the civic address nearest to a place: the nearest building within 100 m. A point of one side of a street says only
 * roughly where its addresses are, so it counts only where no building is within 100 m.
 */
export function findNearest(at: Coordinate, store: GazetteerStore): NearestAddress {
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
