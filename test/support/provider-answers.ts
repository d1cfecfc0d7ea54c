import type { ProviderName } from '../../src/geocoders/providers/all.ts';

/** A civic point as a provider knows it. */
export interface ProviderPlace {
  readonly number: string;
  readonly street: string;
  readonly city: string;
  /** The former municipality inside the city. */
  readonly district?: string;
  readonly province?: readonly [name: string, code: string];
  readonly postalCode?: string;
  readonly at: readonly [lat: number, lon: number];
  readonly between?: boolean;
}

const ONTARIO = ['Ontario', 'ON'] as const;

interface ProviderShape {
  /** The answer that holds some places, in the provider's own form. */
  readonly answer: (places: readonly ProviderPlace[]) => unknown;
  /** Answers that hold no civic point: the street, the town. */
  readonly approximate: unknown;
  /** A failure that is told with status 200 or in the provider's own way; null where HTTP alone tells it. */
  readonly failure: unknown;
  /** Parameter of the request that holds the address. */
  readonly parameter: string;
}

/** Each provider's answers, as its documentation and installations show them. */
export const shapes: Readonly<Record<ProviderName, ProviderShape>> = {
  nominatim: {
    parameter: 'q',
    failure: { error: { code: 500, message: 'Internal server error' } },
    answer: (places) => places.map(nominatimPlace),
    approximate: [
      {
        ...nominatimPlace({ number: '', street: 'Queen Street West', city: 'Toronto', at: [43.65, -79.38] }),
        place_rank: 26,
      },
      { place_id: 9, place_rank: 16, lat: '43.65', lon: '-79.38', address: { city: 'Toronto', state: 'Ontario' } },
    ],
  },
  pelias: {
    parameter: 'text',
    failure: {
      geocoding: { version: '0.2', errors: ['Elasticsearch: Request Timeout'] },
      type: 'FeatureCollection',
      features: [],
    },
    answer: (places) => ({
      geocoding: { version: '0.2', attribution: 'http://pelias.example/attribution', query: { size: 10 } },
      type: 'FeatureCollection',
      features: places.map((place) => peliasPlace(place, {})),
    }),
    approximate: {
      geocoding: { version: '0.2' },
      type: 'FeatureCollection',
      features: [
        peliasPlace(
          { number: '100', street: 'Queen Street West', city: 'Toronto', at: [43.65, -79.38] },
          { match_type: 'fallback' },
        ),
        peliasPlace({ number: '', street: '', city: 'Toronto', at: [43.65, -79.38] }, { layer: 'locality' }),
      ],
    },
  },
  photon: {
    parameter: 'q',
    failure: { message: 'no such parameter' },
    answer: (places) => ({ type: 'FeatureCollection', features: places.map(photonPlace) }),
    approximate: {
      type: 'FeatureCollection',
      features: [photonPlace({ number: '', street: 'Queen Street West', city: 'Toronto', at: [43.65, -79.38] })],
    },
  },
  arcgis: {
    parameter: 'SingleLine',
    failure: { error: { code: 500, message: 'Unable to complete operation.', details: [] } },
    answer: (places) => ({
      spatialReference: { wkid: 4326, latestWkid: 4326 },
      candidates: places.map((place) => arcgisPlace(place, place.between === true ? 'StreetAddress' : 'PointAddress')),
    }),
    approximate: {
      candidates: [
        arcgisPlace({ number: '', street: 'Queen St', city: 'Toronto', at: [43.65, -79.38] }, 'StreetName'),
        arcgisPlace({ number: '', street: '', city: 'Toronto', at: [43.65, -79.38] }, 'Locality'),
      ],
    },
  },
  google: {
    parameter: 'address',
    failure: { status: 'UNKNOWN_ERROR', results: [] },
    answer: (places) =>
      places.length === 0
        ? { status: 'ZERO_RESULTS', results: [] }
        : { status: 'OK', results: places.map((place) => googlePlace(place, {})) },
    approximate: {
      status: 'OK',
      results: [
        googlePlace(
          { number: '100', street: 'Queen St W', city: 'Toronto', at: [43.65, -79.38] },
          { partial_match: true },
        ),
        googlePlace({ number: '', street: 'Queen St W', city: 'Toronto', at: [43.65, -79.38] }, { types: ['route'] }),
      ],
    },
  },
};

function nominatimPlace({ number, street, city, district, province = ONTARIO, postalCode, at }: ProviderPlace): object {
  return {
    ...{ place_id: 1, licence: 'Data © OpenStreetMap contributors, ODbL 1.0.', osm_type: 'node', osm_id: 2 },
    ...{ lat: String(at[0]), lon: String(at[1]), category: 'place', type: 'house', place_rank: 30, importance: 0.4 },
    ...{ addresstype: 'place', name: '', display_name: `${number}, ${street}, ${city}, ${province[0]}, Canada` },
    address: {
      ...{ house_number: number, road: street, ...(district === undefined ? {} : { city_district: district }), city },
      ...{ state_district: 'Golden Horseshoe', state: province[0], 'ISO3166-2-lvl4': `CA-${province[1]}` },
      ...{ ...(postalCode === undefined ? {} : { postcode: postalCode }), country: 'Canada', country_code: 'ca' },
    },
  };
}

function peliasPlace(place: ProviderPlace, others: object): object {
  const { number, street, city, district, province = ONTARIO, postalCode, at, between } = place;
  return {
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [at[1], at[0]] },
    properties: {
      ...{
        id: 'x',
        gid: 'openaddresses:address:x',
        layer: 'address',
        source: 'openaddresses',
        name: `${number} ${street}`,
      },
      ...{
        housenumber: number,
        street,
        postalcode: postalCode,
        confidence: 1,
        accuracy: between === true ? 'interpolated' : 'point',
      },
      ...{ match_type: between === true ? 'interpolated' : 'exact', country: 'Canada', country_a: 'CAN' },
      ...{ region: province[0], region_a: province[1], locality: city, borough: district, ...others },
    },
  };
}

function photonPlace({ number, street, city, district, province = ONTARIO, postalCode, at }: ProviderPlace): object {
  return {
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [at[1], at[0]] },
    properties: {
      ...{
        osm_type: 'N',
        osm_id: 2,
        osm_key: 'place',
        osm_value: 'house',
        type: 'house',
        countrycode: 'CA',
        country: 'Canada',
      },
      ...{
        ...(number === '' ? {} : { housenumber: number }),
        street,
        city,
        district,
        postcode: postalCode,
        state: province[0],
      },
    },
  };
}

function arcgisPlace(
  { number, street, city, district, province = ONTARIO, postalCode = '', at }: ProviderPlace,
  type: string,
): object {
  const words = street.split(' ');
  const direction = /^(?:N|S|E|W|North|South|East|West)$/.test(words.at(-1) ?? '') ? words.pop()! : '';
  const kind = words.length > 1 ? words.pop()! : '';
  return {
    address: `${number} ${street}, ${city}, ${province[0]}`,
    ...{ location: { x: at[1], y: at[0] }, score: 100, extent: { xmin: at[1], ymin: at[0], xmax: at[1], ymax: at[0] } },
    attributes: {
      ...{ Loc_name: 'World', Status: 'M', Score: 100, Addr_type: type, AddNum: number, StPreDir: '', StPreType: '' },
      ...{ StName: words.join(' '), StType: kind, StDir: direction, City: city, District: district ?? '', Nbrhd: '' },
      ...{
        Region: province[0],
        RegionAbbr: province[1],
        Postal: postalCode.slice(0, 3),
        PostalExt: postalCode.slice(-3),
        Country: 'CAN',
      },
    },
  };
}

function googlePlace(place: ProviderPlace, others: object): object {
  const { number, street, city, district, province = ONTARIO, postalCode, at, between } = place;
  const part = (type: string, long?: string, short = long): object[] =>
    long === undefined || long === '' ? [] : [{ long_name: long, short_name: short, types: [type, 'political'] }];
  return {
    address_components: [
      ...[...part('street_number', number), ...part('route', street), ...part('sublocality_level_1', district)],
      ...[...part('locality', city), ...part('administrative_area_level_1', ...province)],
      ...[...part('country', 'Canada', 'CA'), ...part('postal_code', postalCode)],
    ],
    formatted_address: `${number} ${street}, ${city}, ${province[1]}, Canada`,
    geometry: {
      location: { lat: at[0], lng: at[1] },
      location_type: between === true ? 'RANGE_INTERPOLATED' : 'ROOFTOP',
    },
    ...{ place_id: 'ChIJ', types: ['street_address'], ...others },
  };
}
