import {
  type Offer,
  type Provider,
  type Members,
  MalformedAnswer,
  providerFailure,
  degreesOf,
  listOf,
  membersOf,
  query,
  textOf,
  textsOf,
} from '../provider.ts';

const temporary: readonly unknown[] = ['OVER_QUERY_LIMIT', 'UNKNOWN_ERROR'];

/** Types of results that are a single address. */
const addressTypes: readonly unknown[] = ['street_address', 'premise', 'subpremise'];

/** https://developers.google.com/maps/documentation/geocoding/requests-geocoding */
export const google: Provider = {
  name: 'google',
  // Its terms forbid storing content.
  mayCache: false,
  path: (address, key) =>
    `json?${query({ address, components: 'country:CA|administrative_area:ON', region: 'ca', key })}`,
  offers: (body) => {
    const { status, results, error_message: message } = membersOf(body);
    if (typeof status !== 'string') throw new MalformedAnswer('the status is missing');
    if (status === 'ZERO_RESULTS') return [];
    if (status !== 'OK') {
      throw providerFailure(`${status} ${textOf(message)}`.trim(), temporary.includes(status));
    }
    return listOf(results).flatMap(offer);
  },
};

function offer(result: unknown): Offer[] {
  const { types, partial_match: isPartial, geometry, address_components: list } = membersOf(result);
  const { location, location_type: kind } = membersOf(geometry);
  const isBuilding = kind === 'ROOFTOP';
  const isAddress = listOf(types).some((type) => addressTypes.includes(type));
  const parts = listOf(list).map(membersOf);
  const houseNumber = long(parts, 'street_number');
  const street = long(parts, 'route');
  if (isPartial === true || !isAddress || houseNumber === '' || street === '') return [];
  if (!isBuilding && kind !== 'RANGE_INTERPOLATED') return [];
  const { lat, lng } = membersOf(location);
  return [
    {
      houseNumber,
      street,
      place: {
        municipalities: longs(parts, ['locality', 'postal_town', 'administrative_area_level_3']),
        parts: longs(parts, ['sublocality_level_1', 'sublocality']),
        neighbourhoods: longs(parts, ['neighborhood']),
        counties: longs(parts, ['administrative_area_level_2']),
      },
      province: short(parts, 'administrative_area_level_1') || null,
      postalCode: long(parts, 'postal_code') || null,
      lat: degreesOf(lat, 90),
      lon: degreesOf(lng, 180),
      accuracy: isBuilding ? 'building' : 'interpolated',
    },
  ];
}

function longs(parts: readonly Members[], types: readonly string[]): string[] {
  return types.flatMap((type) => textsOf(long(parts, type)));
}

function long(parts: readonly Members[], type: string): string {
  return textOf(partOf(parts, type)?.['long_name']);
}

function short(parts: readonly Members[], type: string): string {
  return textOf(partOf(parts, type)?.['short_name']);
}

function partOf(parts: readonly Members[], type: string): Members | undefined {
  return parts.find(({ types }) => Array.isArray(types) && types.includes(type));
}
