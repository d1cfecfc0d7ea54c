import {
  type Offer,
  type Provider,
  MOST_OFFERS,
  providerFailure,
  listOf,
  membersOf,
  pointOf,
  query,
  textOf,
  textsOf,
} from '../provider.ts';

/** https://github.com/pelias/documentation/blob/master/search.md */
export const pelias: Provider = {
  name: 'pelias',
  mayCache: true,
  path: (text, key) =>
    `v1/search?${query({ text, layers: 'address', 'boundary.country': 'CAN', size: MOST_OFFERS, api_key: key })}`,
  offers: (body) => {
    const { geocoding, features } = membersOf(body);
    const errors = textsOf(...listOf(membersOf(geocoding ?? {})['errors'] ?? []));
    if (errors.length > 0) throw providerFailure(errors.join('; '), true);
    return listOf(features).flatMap(offer);
  },
};

function offer(feature: unknown): Offer[] {
  const { properties, geometry } = membersOf(feature);
  const parts = membersOf(properties);
  const houseNumber = textOf(parts['housenumber']);
  const street = textOf(parts['street']);
  // A fallback is the street, the town or another house.
  const isPlace = parts['layer'] === 'address' && parts['match_type'] !== 'fallback';
  if (!isPlace || houseNumber === '' || street === '') return [];
  const isBetween = parts['match_type'] === 'interpolated' || parts['accuracy'] === 'interpolated';
  return [
    {
      houseNumber,
      street,
      place: {
        municipalities: textsOf(parts['locality'], parts['localadmin']),
        parts: textsOf(parts['borough']),
        neighbourhoods: textsOf(parts['neighbourhood']),
        counties: textsOf(parts['county'], parts['macrocounty']),
      },
      province: textOf(parts['region_a']) || textOf(parts['region']) || null,
      postalCode: textOf(parts['postalcode']) || null,
      ...pointOf(geometry),
      accuracy: isBetween ? 'interpolated' : 'building',
    },
  ];
}
