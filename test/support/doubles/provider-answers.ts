import type { ProviderName } from '../../../src/features/geocoders/settings.ts';

/** A civic point as a provider's data have it, with the places around it. */
export interface ProviderPlace {
  readonly number: string;
  readonly street: string;
  readonly neighbourhood?: string;
  /** The former municipality inside the city, where it is one more municipality of the data: Old Toronto. */
  readonly former?: string;
  /** The former municipality inside the city, where it is a suburb: Nepean. */
  readonly suburb?: string;
  readonly city: string;
  /** "York Region"; none where the city is the census division. */
  readonly county?: string;
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

/**
 * Each provider's answers. The rules by which a place becomes an answer are the services' own (named at each function below), and the
 * forms are those of the answers in `captured-answers.ts`. Nothing here is taken from the adapters.
 */
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

/** Names of the places around a point with their labels, the smallest first, as Nominatim's address rows have them. */
function nominatimRows(place: ProviderPlace): [label: string, name: string][] {
  const { number, street, neighbourhood, suburb, former, city, county, province = ONTARIO, postalCode } = place;
  const rows: [label: string, name: string | undefined][] = [
    ['house_number', number],
    ['road', street],
    ['neighbourhood', neighbourhood],
    ['suburb', suburb],
    // Administrative levels 8 and 6: both are labelled `city`, the outer one for its linked place (`get_label_tag`).
    ['city', former],
    ['city', city],
    ['county', county],
    ['state_district', 'Golden Horseshoe'],
    ['state', province[0]],
    ['postcode', postalCode],
    ['country', 'Canada'],
  ];
  return rows.flatMap(([label, name]): [string, string][] =>
    name === undefined || name === '' ? [] : [[label, name]],
  );
}

/**
 * Nominatim, `src/nominatim_api/v1/format_json.py`: `address` keeps the first name of each label, `display_name` has all.
 * `results.py`, `create_from_osmline_row`: a point on an interpolation line is category `place`, type `house`, object `W`.
 */
function nominatimPlace(place: ProviderPlace): object {
  const rows = nominatimRows(place);
  const address = Object.fromEntries([...rows].reverse());
  return {
    ...{ place_id: 1, licence: 'Data © OpenStreetMap contributors, ODbL 1.0. http://osm.org/copyright' },
    ...{ osm_type: place.between === true ? 'way' : 'node', osm_id: 2 },
    ...{ lat: String(place.at[0]), lon: String(place.at[1]) },
    ...{ category: 'place', type: 'house', place_rank: 30, importance: 0.4, addresstype: 'place', name: '' },
    display_name: rows.map(([, name]) => name).join(', '),
    address: { ...address, 'ISO3166-2-lvl4': `CA-${(place.province ?? ONTARIO)[1]}`, country_code: 'ca' },
  };
}

/**
 * Pelias, `middleware/interpolate.js`: an interpolated point is layer `address` with `match_type` `interpolated`; its `accuracy` stays `point`
 * (documentation, search.md). Admin fields are Who's On First's: counties have bare names ("Niagara"), Toronto is its own.
 */
function peliasPlace(place: ProviderPlace, others: object): object {
  const { number, street, former, suburb, city, county, province = ONTARIO, postalCode, at, between } = place;
  return {
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [at[1], at[0]] },
    properties: {
      ...{ id: 'x', gid: 'openaddresses:address:x', layer: 'address', source: 'openaddresses' },
      ...{ name: `${number} ${street}`, housenumber: number, street, postalcode: postalCode, confidence: 1 },
      ...{ match_type: between === true ? 'interpolated' : 'exact', accuracy: 'point' },
      ...{ country: 'Canada', country_a: 'CAN', region: province[0], region_a: province[1] },
      ...{ county: bare(county) ?? city, locality: city, borough: former ?? suburb },
      ...{ neighbourhood: place.neighbourhood, ...others },
    },
  };
}

/**
 * Photon, `AddressType.java`: ranks 10 to 12 are `county`, 13 to 16 `city`, 17 to 21 `district`, 22 to 25 `locality`; `PhotonDoc.java`: the
 * smallest place of a type is kept. Old Toronto has rank 16 and Toronto 12, so they are city and county.
 * `OsmlineRowMapper.java`: points on an interpolation line are `W`, `place`, `house_number`.
 */
function photonPlace(place: ProviderPlace): object {
  const { number, street, former, suburb, city, county, province = ONTARIO, postalCode, at, between } = place;
  const around = former === undefined ? undefined : city;
  const object =
    between === true ? { osm_type: 'W', osm_value: 'house_number' } : { osm_type: 'N', osm_value: 'house' };
  return {
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [at[1], at[0]] },
    properties: {
      ...{ ...object, osm_id: 2, osm_key: 'place', type: 'house', countrycode: 'CA', country: 'Canada' },
      ...(number === '' ? {} : { housenumber: number }),
      ...{ street, locality: place.neighbourhood, district: suburb, city: former ?? city, county: county ?? around },
      ...{ postcode: postalCode, state: province[0] },
    },
  };
}

/**
 * ArcGIS World Geocoding Service, the output fields of its documentation: `City`, `District` and `Nbrhd` inside it, `Subregion` the census
 * division by its bare name. `StreetAddress` lies on the street between the ends of a range.
 */
function arcgisPlace(place: ProviderPlace, type: string): object {
  const { number, street, former, suburb, city, county, province = ONTARIO, postalCode = '', at } = place;
  const words = street.split(' ');
  const direction = /^(?:N|S|E|W|North|South|East|West)$/.test(words.at(-1) ?? '') ? words.pop()! : '';
  const kind = words.length > 1 ? words.pop()! : '';
  return {
    address: `${number} ${street}, ${city}, ${province[0]}`,
    ...{ location: { x: at[1], y: at[0] }, score: 100, extent: { xmin: at[1], ymin: at[0], xmax: at[1], ymax: at[0] } },
    attributes: {
      ...{ Loc_name: 'World', Status: 'M', Score: 100, Addr_type: type, AddNum: number, StPreDir: '', StPreType: '' },
      ...{ StName: words.join(' '), StType: kind, StDir: direction },
      ...{ Nbrhd: place.neighbourhood ?? '', District: former ?? suburb ?? '', City: city },
      ...{ MetroArea: '', Subregion: bare(county) ?? city },
      ...{ Region: province[0], RegionAbbr: province[1] },
      ...{ Postal: postalCode.slice(0, 3), PostalExt: postalCode.slice(-3) },
      ...{ Country: 'CAN', CntryName: 'Canada' },
    },
  };
}

/** Google: the components of the captured answers; levels 3 and 2 are the municipality and its division, for Toronto both Toronto. */
function googlePlace(place: ProviderPlace, others: object): object {
  const { number, street, former, suburb, city, county, province = ONTARIO, postalCode, at, between } = place;
  const part = (types: string, long?: string, short = long): object[] =>
    long === undefined || long === '' ? [] : [{ long_name: long, short_name: short, types: types.split(' ') }];
  return {
    address_components: [
      ...[
        ...part('street_number', number),
        ...part('route', street),
        ...part('neighborhood political', place.neighbourhood),
      ],
      ...[...part('political sublocality sublocality_level_1', former ?? suburb), ...part('locality political', city)],
      ...part('administrative_area_level_3 political', city),
      ...part('administrative_area_level_2 political', county ?? city),
      ...[...part('administrative_area_level_1 political', ...province), ...part('country political', 'Canada', 'CA')],
      ...part('postal_code', postalCode),
    ],
    formatted_address: `${number} ${street}, ${city}, ${province[1]}, Canada`,
    geometry: {
      location: { lat: at[0], lng: at[1] },
      location_type: between === true ? 'RANGE_INTERPOLATED' : 'ROOFTOP',
    },
    ...{ place_id: 'ChIJ', types: ['street_address'], ...others },
  };
}

/** "York Region" -> "York". */
function bare(county: string | undefined): string | undefined {
  return county?.replace(/ (?:Region|County|District)$/, '');
}
