/**
 * Answers that services gave and that somebody published. Each says where it is known from. Members that an answer to a search has and the
 * published one lacks (reverse answers, answers in another format) are filled in by the service's own rules and stand behind "filled in".
 */

/** Members of every answer of Nominatim's search; the documentation of its output. */
const nominatimMembers = {
  licence: 'Data © OpenStreetMap contributors, ODbL 1.0. http://osm.org/copyright',
  place_rank: 30,
  importance: 0.0001,
};

export const nominatimAnswers = {
  /** Toronto City Hall, reverse, 2021: vignette of the R package tidygeocoder. Filled in: category, type, rank. */
  cityHall: {
    ...{ ...nominatimMembers, place_id: 148364261, osm_type: 'way', osm_id: 198500761, category: 'amenity' },
    ...{ type: 'townhall', addresstype: 'amenity', name: 'Toronto City Hall' },
    ...{ lat: '43.6536032', lon: '-79.38400546703345' },
    display_name:
      'Toronto City Hall, 100, Queen Street West, Financial District, Spadina—Fort York, Old Toronto, Toronto, Golden Horseshoe, ' +
      'Ontario, M5H 2N2, Canada',
    address: {
      ...{ amenity: 'Toronto City Hall', house_number: '100', road: 'Queen Street West' },
      ...{ neighbourhood: 'Financial District', quarter: 'Spadina—Fort York', city: 'Old Toronto' },
      ...{ state_district: 'Golden Horseshoe', state: 'Ontario', postcode: 'M5H 2N2', country: 'Canada' },
      country_code: 'ca',
    },
    boundingbox: ['43.6529946', '43.6541458', '-79.3848438', '-79.3830415'],
  },
  /** CN Tower: a test of a location library. `address` has the larger municipality, and "Old Toronto" stands in `display_name` alone. */
  tower: {
    ...{ ...nominatimMembers, place_id: 123, osm_type: 'way', osm_id: 5, category: 'tourism', type: 'attraction' },
    ...{ addresstype: 'tourism', name: 'CN Tower', lat: '43.6425637', lon: '-79.3870871' },
    display_name:
      'CN Tower, 290, Bremner Boulevard, Entertainment District, Spadina—Fort York, Old Toronto, Toronto, Golden Horseshoe, Ontario, ' +
      'M5V 3L9, Canada',
    address: {
      ...{ tourism: 'CN Tower', house_number: '290', road: 'Bremner Boulevard' },
      ...{ neighbourhood: 'Entertainment District', quarter: 'Spadina—Fort York', city: 'Toronto' },
      ...{ state_district: 'Golden Horseshoe', state: 'Ontario', 'ISO3166-2-lvl4': 'CA-ON', postcode: 'M5V 3L9' },
      ...{ country: 'Canada', country_code: 'ca' },
    },
  },
  /** Richmond Hill, reverse: README of a booking service. Filled in: all but `address`. */
  richmondHill: {
    ...{ ...nominatimMembers, place_id: 1, osm_type: 'node', osm_id: 2, category: 'place', type: 'house' },
    ...{ addresstype: 'place', name: '', lat: '43.8828000', lon: '-79.4403000' },
    display_name: '123, Spruce Avenue, Richmond Hill, York Region, Golden Horseshoe, Ontario, L4C 5A6, Canada',
    address: {
      ...{ house_number: '123', road: 'Spruce Avenue', city: 'Richmond Hill', county: 'York Region' },
      ...{ state_district: 'Golden Horseshoe', state: 'Ontario', 'ISO3166-2-lvl4': 'CA-ON', postcode: 'L4C 5A6' },
      ...{ country: 'Canada', country_code: 'ca' },
    },
  },
  /** Centennial College: LocationIQ, which runs Nominatim; README of a delivery service. `address.name` stands for `amenity`. */
  scarborough: {
    ...{ ...nominatimMembers, place_id: 321216337881, osm_type: 'way', osm_id: 33013888, category: 'amenity' },
    ...{ type: 'college', addresstype: 'amenity', lat: '43.7857924', lon: '-79.22780958' },
    display_name:
      'Centennial College, 941, Progress Avenue, Scarborough–Guildwood, Scarborough, Toronto, Golden Horseshoe, Ontario, M1G3T8, ' +
      'Canada',
    address: {
      ...{ name: 'Centennial College', house_number: '941', road: 'Progress Avenue' },
      ...{ neighbourhood: 'Scarborough–Guildwood', suburb: 'Scarborough', city: 'Toronto' },
      ...{ county: 'Golden Horseshoe', state: 'Ontario', postcode: 'M1G3T8', country: 'Canada', country_code: 'ca' },
    },
  },
  /** Waterloo: a test of a letter printer (`format_address`). Filled in: object, rank, position. */
  waterloo: {
    ...{ ...nominatimMembers, place_id: 3, osm_type: 'node', osm_id: 4, category: 'amenity', type: 'cafe' },
    ...{ addresstype: 'amenity', name: 'The Bevel', lat: '43.4690000', lon: '-80.5300000' },
    display_name:
      'The Bevel, 12, Merchant Avenue, The Barrel Yards, Waterloo, Region of Waterloo, Southwestern Ontario, Ontario, N2L 0C3, Canada',
    address: {
      ...{ amenity: 'The Bevel', house_number: '12', road: 'Merchant Avenue', neighbourhood: 'The Barrel Yards' },
      ...{ city: 'Waterloo', county: 'Region of Waterloo', state_district: 'Southwestern Ontario', state: 'Ontario' },
      ...{ postcode: 'N2L 0C3', country: 'Canada', country_code: 'ca' },
    },
  },
  /**
   * A point on an interpolation line in Guelph: a script that types addresses. The object is a way and the box is the 0.00005 degrees that
   * Nominatim draws around a bare point (`bbox_from_result`). Filled in: category, type, rank (`create_from_osmline_row`).
   */
  guelphBetween: {
    ...{ ...nominatimMembers, place_id: 34600901, osm_type: 'way', osm_id: 177927457, category: 'place' },
    ...{ type: 'house', addresstype: 'place', name: '', lat: '43.54594235', lon: '-80.25599364166666' },
    display_name: '65, Liverpool Street, Guelph Junction, Guelph, Southwestern Ontario, Ontario, N1H 4J7, Canada',
    address: {
      ...{ house_number: '65', road: 'Liverpool Street', neighbourhood: 'Guelph Junction', city: 'Guelph' },
      ...{ state_district: 'Southwestern Ontario', state: 'Ontario', 'ISO3166-2-lvl4': 'CA-ON', postcode: 'N1H 4J7' },
      ...{ country: 'Canada', country_code: 'ca' },
    },
    boundingbox: ['43.54589235', '43.54599235', '-80.256043641667', '-80.255943641667'],
  },
};

/**
 * 1 King Street West and 60 Byng Avenue in Toronto as Geoapify tells them, which reads the same data (a comment of a web page, a sample in a
 * web client): `city` Old Toronto with `county` Toronto, and `city` Toronto with `district` North York. The members are Photon's here.
 */
export const photonAnswers = {
  kingStreet: photonFeature([-79.378033, 43.648861], {
    ...{ osm_type: 'N', osm_key: 'place', osm_value: 'house', type: 'house', housenumber: '1' },
    ...{ street: 'King Street West', locality: 'Financial District', district: 'Toronto Centre', city: 'Old Toronto' },
    ...{ county: 'Toronto', postcode: 'M6K 1H3', state: 'Ontario' },
  }),
  byngAvenue: photonFeature([-79.412611, 43.777436], {
    ...{ osm_type: 'W', osm_key: 'building', osm_value: 'yes', type: 'house', housenumber: '60' },
    ...{ street: 'Byng Avenue', locality: 'Willowdale East', district: 'North York', city: 'Toronto' },
    ...{ county: 'Toronto', postcode: 'M2N 7H4', state: 'Ontario' },
  }),
};

function photonFeature(coordinates: readonly number[], properties: object): object {
  const around = { osm_id: 2, countrycode: 'CA', country: 'Canada' };
  return { type: 'Feature', geometry: { type: 'Point', coordinates }, properties: { ...around, ...properties } };
}

/** 685 Lake Shore Boulevard East, Toronto: test data of a delivery router, with every component that Google gave. */
export const googleLakeShore = {
  address_components: [
    { long_name: '685', short_name: '685', types: ['street_number'] },
    { long_name: 'Lake Shore Boulevard East', short_name: 'Lake Shore Blvd E', types: ['route'] },
    { long_name: 'Old Toronto', short_name: 'Old Toronto', types: ['political', 'sublocality', 'sublocality_level_1'] },
    { long_name: 'Toronto', short_name: 'Toronto', types: ['locality', 'political'] },
    { long_name: 'Toronto', short_name: 'Toronto', types: ['administrative_area_level_3', 'political'] },
    { long_name: 'Toronto', short_name: 'Toronto', types: ['administrative_area_level_2', 'political'] },
    { long_name: 'Ontario', short_name: 'ON', types: ['administrative_area_level_1', 'political'] },
    { long_name: 'Canada', short_name: 'CA', types: ['country', 'political'] },
    { long_name: 'M4M 3J9', short_name: 'M4M 3J9', types: ['postal_code'] },
  ],
  formatted_address: '685 Lake Shore Blvd E, Toronto, ON M4M 3J9, Canada',
  geometry: { location: { lat: 43.652489, lng: -79.34237 }, location_type: 'ROOFTOP' },
  place_id: 'ChIJJ9rlXwzL1IkR_K6zV_UVUaQ',
  types: ['premise'],
};
