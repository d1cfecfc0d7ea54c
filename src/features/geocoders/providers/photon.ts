import {
  type Offer,
  type Provider,
  MOST_OFFERS,
  listOf,
  membersOf,
  pointOf,
  query,
  textOf,
  textsOf,
} from '../provider.ts';

/** West, south, east, north of Ontario in degrees. */
const ONTARIO = '-95.2,41.6,-74.3,56.9';

/** https://github.com/komoot/photon/blob/master/docs/api-v1.md */
export const photon: Provider = {
  name: 'photon',
  mayCache: true,
  path: (text) => `api?${query({ q: text, layer: 'house', bbox: ONTARIO, limit: MOST_OFFERS })}`,
  offers: (body) => listOf(membersOf(body)['features']).flatMap(offer),
};

function offer(feature: unknown): Offer[] {
  const { properties, geometry } = membersOf(feature);
  const parts = membersOf(properties);
  const houseNumber = textOf(parts['housenumber']);
  const street = textOf(parts['street']);
  if (houseNumber === '' || street === '') return [];
  // The only objects with this value are the points that Photon sets along an interpolation line.
  const isBetween = parts['osm_key'] === 'place' && parts['osm_value'] === 'house_number';
  return [
    {
      houseNumber,
      street,
      // By Nominatim's ranks: city 13 to 16, district 17 to 21, locality 22 to 25, county 10 to 12.
      place: {
        municipalities: textsOf(parts['city']),
        parts: textsOf(parts['district']),
        neighbourhoods: textsOf(parts['locality']),
        counties: textsOf(parts['county']),
      },
      province: textOf(parts['state']) || null,
      postalCode: textOf(parts['postcode']) || null,
      ...pointOf(geometry),
      accuracy: isBetween ? 'interpolated' : 'building',
    },
  ];
}
