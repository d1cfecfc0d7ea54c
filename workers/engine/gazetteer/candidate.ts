import { formatAddress } from '../../../src/addresses/format.ts';
import { displayPostalCode } from '../../../src/addresses/postal-code.ts';
import { scoreOf } from '../../../src/addresses/faults.ts';
import type { Reading } from '../../../src/addresses/reading.ts';
import type {
  Accuracy,
  AddressComponents,
  ConsideredReading,
  Fault,
  Geocode,
} from '../../../src/messages/wire/geocode.ts';
import type { CivicPoint } from './civic-block.ts';
import type { NamedStreet } from './near-grid.ts';
import type { GazetteerStore } from './store.ts';
import type { Street } from './street-record.ts';

/** One place that an address may mean. */
export interface Candidate {
  readonly reading: Reading;
  readonly street: Street;
  readonly point: Pick<CivicPoint, 'civic' | 'suffix' | 'lat' | 'lon' | 'postalCode' | 'spelling'>;
  readonly accuracy: Accuracy;
  readonly uncertaintyM: number;
  /** Those of the reading first. */
  readonly faults: readonly Fault[];
  readonly score: number;
  /** Score without the faults of the reading: what the words of the address say about this place. */
  readonly fit: number;
}

export function candidate(parts: Omit<Candidate, 'score' | 'fit'>): Candidate {
  const { reading, street, point, accuracy, uncertaintyM, faults } = parts;
  const score = scoreOf(faults);
  const fit = reading.faults.length === 0 ? score : scoreOf(faults.slice(reading.faults.length));
  return { reading, street, point, accuracy, uncertaintyM, faults, score, fit };
}

/** Returns the parts of the address that a point of a street has. */
export function componentsAt(
  { unit, street, point }: Pick<Candidate, 'street' | 'point'> & { readonly unit: string | null },
  store: GazetteerStore,
): AddressComponents {
  const { csd, mail, spellings } = street;
  const spelling = spellings[point.spelling] ?? spellings[0]!;
  return componentsOf({ ...spelling, csd, mail }, { ...point, unit }, store);
}

/** Returns the parts of an address in display case. */
export function componentsOf(
  { csd, mail, name, type, direction }: NamedStreet,
  point: Pick<CivicPoint, 'civic' | 'suffix' | 'postalCode'> & { readonly unit: string | null },
  store: Pick<GazetteerStore, 'mails' | 'csds'>,
): AddressComponents {
  return {
    unit: point.unit,
    civicNumber: point.civic,
    civicSuffix: point.suffix,
    streetName: name,
    streetType: type,
    streetDirection: direction,
    municipality: store.mails[mail] ?? '',
    censusSubdivision: store.csds[csd]?.name ?? '',
    province: 'ON',
    postalCode: point.postalCode === null ? null : displayPostalCode(point.postalCode),
  };
}

/** @param readings the ways to read the address that were considered; shown when there are several. */
export function asGeocode(found: Candidate, readings: readonly ConsideredReading[], store: GazetteerStore): Geocode {
  const parts = componentsAt({ unit: found.reading.unit, street: found.street, point: found.point }, store);
  return {
    address: formatAddress(parts),
    lat: found.point.lat,
    lon: found.point.lon,
    accuracy: found.accuracy,
    uncertaintyM: found.uncertaintyM,
    score: found.score,
    faults: found.faults,
    components: parts,
    ...(readings.length > 1 ? { readings } : {}),
    source: 'local',
  };
}

/** Returns the canonical address of a point of a street without the unit, for suggestions. */
export function suggestion({ street, point }: Pick<Candidate, 'street' | 'point'>, store: GazetteerStore): string {
  return formatAddress(componentsAt({ unit: null, street, point }, store));
}
