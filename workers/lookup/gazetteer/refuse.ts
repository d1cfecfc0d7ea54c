import { cutUnknownMunicipality } from '../../../src/shared/addresses/alternatives.ts';
import {
  distinctSuggestions,
  isIntersection,
  refusal,
  whyUnreadable,
  type ParsedAddress,
} from '../../../src/shared/addresses/parse.ts';
import type { Reading } from '../../../src/shared/addresses/reading.ts';
import type { Refusal } from '../../../src/shared/contract/geocode.ts';
import { candidate, suggestion, type Candidate } from './candidate.ts';
import { correctedReadings } from './corrected-names.ts';
import { findStreets } from './match.ts';
import { byName } from './municipality-link.ts';
import type { CivicPoint } from './civic-block.ts';
import type { GazetteerStore } from './store.ts';
import type { Street } from './street-record.ts';

/** Most subdivisions that are searched for suggestions. */
const MOST_SUBDIVISIONS = 10;

/** Searches without a result. */
export interface Attempts {
  /** All readings of the address. */
  readonly readings: readonly Reading[];
  /** Places that were found but not accepted. */
  readonly nearMisses: readonly Candidate[];
}

/** Says why nothing was found, and suggests addresses. */
export function refuse(parsed: ParsedAddress, { readings, nearMisses }: Attempts, store: GazetteerStore): Refusal {
  const [plain] = readings;
  if (plain === undefined) return whyUnreadable(parsed);
  if (isIntersection(parsed.words)) return refusal('INTERSECTION', 'An intersection is not a civic address.');
  const near = nearMisses.toSorted((a, b) => b.score - a.score);
  if (near[0]) return notBelieved(near[0], near, store);
  const placed = readings.filter(({ municipalities }) => municipalities.length > 0);
  if (placed.length === 0) return withoutMunicipality(parsed, plain, store);
  for (const reading of placed) {
    const streets = findStreets({ reading, postalCode: parsed.postalCode, link: byName }, store);
    if (streets.length === 0) continue;
    const numbers = streets.flatMap(({ street }) => nearestNumbers(reading, street, store));
    return refusal(
      'CIVIC_NOT_ON_STREET',
      'The street is known, the civic number is not.',
      distinctSuggestions(numbers),
    );
  }
  const similar = correctedReadings(plain, store).flatMap((reading) =>
    numbersOf(reading, byName.csds(reading, null, store), store),
  );
  const elsewhere = numbersOf(plain, store.csdsWith(plain.typedStreet.key), store);
  return refusal(
    'STREET_NOT_FOUND',
    'The municipality has no such street.',
    distinctSuggestions([...similar, ...elsewhere]),
  );
}

function notBelieved(best: Candidate, near: readonly Candidate[], store: GazetteerStore): Refusal {
  const worst = best.faults.reduce((a, b) => (b.penalty > a.penalty ? b : a));
  const places = near.map((found) => suggestion(found, store));
  return refusal('LOW_CONFIDENCE', `A place was found, but ${worst.detail}.`, distinctSuggestions(places));
}

/** Longest remainder that cannot be a municipality's name, in letters. */
const SHORTEST_UNKNOWN = 2;

function withoutMunicipality(parsed: ParsedAddress, reading: Reading, store: GazetteerStore): Refusal {
  // A short remainder behind a street may be its direction; no municipality has such a short name.
  const unknown = parsed.cuts
    .flatMap(cutUnknownMunicipality)
    .map((cut) => cut.unknown)
    .find((name) => name.length > SHORTEST_UNKNOWN);
  const detail =
    unknown === undefined ? 'The address names no municipality.' : `The register knows no municipality "${unknown}".`;
  const places = numbersOf(reading, store.csdsWith(reading.typedStreet.key), store);
  return refusal(
    unknown === undefined ? 'MUNICIPALITY_REQUIRED' : 'MUNICIPALITY_NOT_FOUND',
    detail,
    distinctSuggestions(places),
  );
}

/** Returns the known numbers before and after the requested one. */
function nearestNumbers(reading: Reading, street: Street, store: GazetteerStore): string[] {
  const neighbours: CivicPoint[] = [];
  for (const points of [street.below(reading.civic), street.from(reading.civic)]) {
    for (const point of points) {
      neighbours.push(point);
      break;
    }
  }
  return neighbours.map((point) => addressAt(reading, street, point, store));
}

/** Returns the same number on streets of this name in several municipalities. */
function numbersOf(reading: Reading, csds: readonly number[], store: GazetteerStore): string[] {
  return csds
    .slice(0, MOST_SUBDIVISIONS)
    .flatMap((csd) => store.streets(reading.typedStreet.key, csd))
    .flatMap((street) =>
      street
        .pointsOf(reading.civic)
        .slice(0, 1)
        .map((point) => addressAt(reading, street, point, store)),
    );
}

function addressAt(reading: Reading, street: Street, point: CivicPoint, store: GazetteerStore): string {
  const found = candidate({
    reading,
    street,
    point,
    accuracy: 'building',
    uncertaintyM: 0,
    faults: [],
  });
  return suggestion(found, store);
}
