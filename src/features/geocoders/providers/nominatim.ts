import type { PlaceNames } from '../place-names.ts';
import {
  type Offer,
  type Provider,
  type Members,
  MOST_OFFERS,
  degreesOf,
  listOf,
  membersOf,
  query,
  textOf,
  textsOf,
} from '../provider.ts';

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
      houseNumber,
      street,
      place: placeOf(textOf(displayName), parts),
      province: textOf(parts['ISO3166-2-lvl4']) || textOf(parts['state']) || null,
      postalCode: textOf(parts['postcode']) || null,
      lat: degreesOf(lat, 90),
      lon: degreesOf(lon, 180),
      accuracy: isBetween(members) ? 'interpolated' : 'building',
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

/** Labels of Nominatim's `address` that are a municipality. */
const municipalLabels = ['city', 'town', 'village', 'municipality'] as const;

/** Labels of areas that contain municipalities. */
const countyLabels = ['county', 'district', 'region', 'state_district', 'state'] as const;

/**
 * Finds the names that `address` leaves out. `address` has one name per label, so of two places labelled `city` it
 * lacks the larger one (it has "Old Toronto", but not "Toronto"). `display_name` has all names from the smallest to the
 * largest. A name before the street belongs to a building and never counts.
 */
export function lostNames(
  displayName: string,
  address: Members,
): {
  /** Between the street and the municipality. */
  readonly inside: readonly string[];
  /** After the municipality and before county and province; these are municipalities too. */
  readonly around: readonly string[];
} {
  const names = displayName.split(', ');
  const street = names.indexOf(textOf(address['road']));
  const labelled = new Set(textsOf(...Object.values(address)));
  const at = (labels: readonly string[]): number[] =>
    textsOf(...labels.map((label) => address[label])).map((name) => names.lastIndexOf(name));
  const municipality = Math.max(...at(municipalLabels), -1);
  const county = Math.min(...at(countyLabels).filter((index) => index > municipality), names.length);
  if (street < 0 || municipality <= street || county === names.length) return { inside: [], around: [] };
  const lostBetween = (from: number, to: number): string[] =>
    names.slice(from + 1, to).filter((name) => !labelled.has(name));
  return { inside: lostBetween(street, municipality), around: lostBetween(municipality, county) };
}
