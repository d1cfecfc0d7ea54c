import { countyLabels, lostNames, municipalLabels } from '../display-name.ts';
import type { PlaceNames } from '../place-names.ts';
import { MOST_OFFERS, type Offer, type Provider } from '../provider.ts';
import { degreesOf, listOf, membersOf, query, textOf, textsOf, type Members } from '../read-json.ts';

/** Rank of a building or an address point; streets have 26 and 27. */
const BUILDING_RANK = 30;

/** https://nominatim.org/release-docs/latest/api/Search/ */
export const nominatim: Provider = {
  name: 'nominatim',
  mayCache: true,
  path: (text) =>
    `search?${query({ q: text, format: 'jsonv2', addressdetails: 1, countrycodes: 'ca', limit: MOST_OFFERS })}`,
  offers: (body) => listOf(body).flatMap(offer),
};

function offer(result: unknown): Offer[] {
  const members = membersOf(result);
  const { place_rank: rank, lat, lon, address, display_name: displayName } = members;
  const parts = membersOf(address ?? {});
  const houseNumber = textOf(parts['house_number']);
  const street = textOf(parts['road']);
  if (Number(rank) < BUILDING_RANK || houseNumber === '' || street === '') return [];
  return [
    {
      ...{ houseNumber, street },
      place: placeOf(textOf(displayName), parts),
      province: textOf(parts['ISO3166-2-lvl4']) || textOf(parts['state']) || null,
      postalCode: textOf(parts['postcode']) || null,
      ...{
        lat: degreesOf(lat, 90),
        lon: degreesOf(lon, 180),
        accuracy: isBetween(members) ? 'interpolated' : 'building',
      },
    },
  ];
}

/**
 * Says whether a point is on an interpolation line: Nominatim calls it a house, and its object is a way. An outline
 * with no tags except an address looks the same and also counts as interpolated, because too little certainty does less
 * harm than too much.
 */
function isBetween({ category, type, osm_type: object }: Members): boolean {
  return category === 'place' && type === 'house' && object === 'way';
}

function placeOf(displayName: string, parts: Members): PlaceNames {
  const { inside, around } = lostNames(displayName, parts);
  const labelled = (labels: readonly string[]): string[] => textsOf(...labels.map((label) => parts[label]));
  return {
    municipalities: [...labelled(municipalLabels), ...around],
    parts: labelled(['hamlet', 'borough', 'city_district', 'suburb']),
    neighbourhoods: [...labelled(['quarter', 'neighbourhood']), ...inside],
    counties: labelled(countyLabels),
  };
}
