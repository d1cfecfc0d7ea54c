import { MOST_OFFERS, type Offer, type Provider } from '../provider.ts';
import { degreesOf, listOf, membersOf, query, textOf, textsOf } from '../read-json.ts';

/** Rank of a building or an address point; streets have 26 and 27. */
const BUILDING_RANK = 30;

/** https://nominatim.org/release-docs/latest/api/Search/ */
export const nominatim: Provider = {
  name: 'nominatim',
  defaultUrl: null,
  mayCache: true,
  path: (text) =>
    `search?${query({ q: text, format: 'jsonv2', addressdetails: 1, countrycodes: 'ca', limit: MOST_OFFERS })}`,
  offers: (body) => listOf(body).flatMap(offer),
};

function offer(result: unknown): Offer[] {
  const { place_rank: rank, lat, lon, address } = membersOf(result);
  const parts = membersOf(address ?? {});
  const houseNumber = textOf(parts['house_number']);
  const street = textOf(parts['road']);
  if (Number(rank) < BUILDING_RANK || houseNumber === '' || street === '') return [];
  const { city, town, village, municipality, hamlet, borough, city_district: district, suburb } = parts;
  return [
    {
      ...{ houseNumber, street },
      municipalities: textsOf(city, town, village, hamlet, municipality, borough, district, suburb),
      province: textOf(parts['ISO3166-2-lvl4']) || textOf(parts['state']) || null,
      postalCode: textOf(parts['postcode']) || null,
      ...{ lat: degreesOf(lat, 90), lon: degreesOf(lon, 180), accuracy: 'building' },
    },
  ];
}
