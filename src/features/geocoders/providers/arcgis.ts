import {
  type Offer,
  type Provider,
  MOST_OFFERS,
  providerFailure,
  degreesOf,
  listOf,
  membersOf,
  query,
  textOf,
  textsOf,
} from '../provider.ts';

/** Types of points of buildings and units; a `StreetAddress` is on the street, between the ends of a range. */
const buildings: readonly unknown[] = ['PointAddress', 'Subaddress'];

/** Codes of a missing, wrong or expired token, with which another attempt fails too. */
const tokenErrors: readonly unknown[] = [401, 403, 498, 499];

/** A `GeocodeServer`; the base address goes up to and including `/GeocodeServer`. */
export const arcgis: Provider = {
  name: 'arcgis',
  // Storing results requires another licence than requesting them.
  mayCache: false,
  path: (text, token) =>
    `findAddressCandidates?${query({ SingleLine: text, f: 'json', outSR: 4326, outFields: '*', maxLocations: MOST_OFFERS, sourceCountry: 'CAN', token })}`,
  offers: (body) => {
    const { error, candidates } = membersOf(body);
    // Failures have status 200.
    if (error !== undefined) {
      const { code, message } = membersOf(error);
      throw providerFailure(`${textOf(code)} ${textOf(message)}`.trim(), !tokenErrors.includes(code));
    }
    return listOf(candidates).flatMap(offer);
  },
};

function offer(candidate: unknown): Offer[] {
  const { location, attributes } = membersOf(candidate);
  const parts = membersOf(attributes);
  const houseNumber = textOf(parts['AddNum']);
  const street = textsOf(parts['StPreDir'], parts['StPreType'], parts['StName'], parts['StType'], parts['StDir']);
  const isBuilding = buildings.includes(parts['Addr_type']);
  if (!(isBuilding || parts['Addr_type'] === 'StreetAddress') || houseNumber === '' || street.length === 0) return [];
  const { x, y } = membersOf(location);
  return [
    {
      houseNumber,
      street: street.join(' '),
      place: {
        municipalities: textsOf(parts['City']),
        parts: textsOf(parts['District']),
        neighbourhoods: textsOf(parts['Nbrhd']),
        counties: textsOf(parts['Subregion']),
      },
      province: textOf(parts['RegionAbbr']) || textOf(parts['Region']) || null,
      // The answer has Canadian codes in two halves.
      postalCode: textOf(parts['Postal']) + textOf(parts['PostalExt']) || null,
      lat: degreesOf(y, 90),
      lon: degreesOf(x, 180),
      accuracy: isBuilding ? 'building' : 'interpolated',
    },
  ];
}
