/** How a position was found (docs/geocoding.md). */
export type Accuracy = 'building' | 'blockface' | 'interpolated';

/** The parts of a resolved civic address, in display case. */
export interface AddressComponents {
  readonly unit: string | null;
  readonly civicNumber: number;
  readonly civicSuffix: string | null;
  readonly streetName: string;
  readonly streetType: string | null;
  readonly streetDirection: string | null;
  /** The mailing municipality, for example "North York". */
  readonly municipality: string;
  /** The present municipality (census subdivision), for example "Toronto". */
  readonly censusSubdivision: string;
  readonly province: 'ON';
  /** "A1A 1A1", or null where the register has none. */
  readonly postalCode: string | null;
}

/** One accepted difference between the request and what was found. */
export interface Fault {
  readonly code: string;
  readonly penalty: number;
  readonly detail: string;
}

/** A resolved address. */
export interface Geocode {
  /** Canonical form: "100 Queen St W, Toronto, ON M5H 2N2, Canada". */
  readonly address: string;
  readonly lat: number;
  readonly lon: number;
  readonly accuracy: Accuracy;
  /** Expected error of the position in metres (90 % of cases). */
  readonly uncertaintyM: number;
  /** 0 to 1. */
  readonly score: number;
  readonly faults: readonly Fault[];
  readonly components: AddressComponents;
  /** The geocoder that answered: "local", or a remote provider's name. */
  readonly source: string;
}

/** Why an address was refused; the `reason` member of the 404 and 422 problem documents. */
export type RefusalReason =
  | 'CIVIC_NUMBER_REQUIRED'
  | 'NON_CIVIC_ADDRESS'
  | 'INTERSECTION'
  | 'MUNICIPALITY_REQUIRED'
  | 'MUNICIPALITY_NOT_FOUND'
  | 'STREET_NOT_FOUND'
  | 'CIVIC_NOT_ON_STREET'
  | 'AMBIGUOUS'
  | 'LOW_CONFIDENCE'
  | 'OUT_OF_AREA';

export interface Refusal {
  readonly reason: RefusalReason;
  readonly detail: string;
  /** Up to 5 canonical addresses. */
  readonly suggestions: readonly string[];
}

export type GeocodeResult = { readonly found: Geocode } | { readonly refused: Refusal };

/** Turns text into a civic point: the embedded gazetteer or a remote provider. */
export interface Gazetteer {
  geocode(address: string): GeocodeResult;
}
