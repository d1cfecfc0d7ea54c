import type { Coordinate } from '../../src/shared/contract/lookup.ts';

/**
 * Yields the places in groups of at most `most` neighbours. Halves the places across the longer side until they are few
 * enough.
 */
export function* compactGroups(places: readonly Coordinate[], most: number): Generator<readonly Coordinate[]> {
  if (places.length <= most) {
    if (places.length > 0) yield places;
    return;
  }
  // At Ontario's latitudes a degree of longitude is about 0.7 of one of latitude, which is exact enough to choose a
  // side.
  const axis = spread(places, 'lon') * 0.7 > spread(places, 'lat') ? 'lon' : 'lat';
  const sorted = places.toSorted((a, b) => a[axis] - b[axis]);
  const middle = sorted.length >> 1;
  yield* compactGroups(sorted.slice(0, middle), most);
  yield* compactGroups(sorted.slice(middle), most);
}

function spread(places: readonly Coordinate[], axis: keyof Coordinate): number {
  let [least, most] = [Infinity, -Infinity];
  for (const place of places) {
    least = Math.min(least, place[axis]);
    most = Math.max(most, place[axis]);
  }
  return most - least;
}
