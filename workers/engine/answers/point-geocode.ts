import type { NearestAddress } from '../../../src/messages/geocode.ts';
import type { Coordinate } from '../../../src/messages/lookup.ts';
import type { PointGeocode } from '../../../src/messages/wire/point-lookup.ts';

/** Returns the `geocode` of a lookup by coordinates: the place as it was asked for, and the address nearest to it. */
export function pointGeocode(
  { lat, lon, uncertaintyM = 0 }: Coordinate & { readonly uncertaintyM?: number },
  nearest: NearestAddress,
): PointGeocode {
  const isPresent = nearest.state === 'present';
  return {
    address: isPresent ? nearest.address : null,
    ...{ lat, lon, accuracy: 'point', uncertaintyM },
    addressState: nearest.state,
    addressDistanceM: isPresent ? Math.round(nearest.distanceM * 10) / 10 : null,
    addressAccuracy: isPresent ? nearest.accuracy : null,
    components: isPresent ? nearest.components : null,
    source: 'request',
  };
}
