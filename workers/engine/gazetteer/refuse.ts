import {
  cutUnknownPlace,
  distinctSuggestions,
  isIntersection,
  Readings,
  readingsBeforeUnknown,
  refusal,
  whyUnreadable,
  withoutOnePart,
  type ParsedAddress,
} from '../../../src/addresses/parse.ts';
import { cutMisspeltPlaces, cutPlaces } from '../../../src/addresses/places.ts';
import type { Reading } from '../../../src/addresses/reading.ts';
import { parseStreet } from '../../../src/addresses/street-name.ts';
import type { Refusal } from '../../../src/messages/lookup.ts';
import { suggestion, type Candidate } from './candidate.ts';
import { correctedReadings } from './corrected-names.ts';
import { findStreets } from './match.ts';
import { byName } from './municipality-link.ts';
import { neighboursOf } from './rivals.ts';
import type { GazetteerStore } from './store.ts';

/** Most subdivisions that are searched for suggestions. */
const MOST_SUBDIVISIONS = 10;

/**
 * Says why nothing was found, and suggests addresses.
 * @param nearMisses places that were found but not accepted.
 */
export function refuse(parsed: ParsedAddress, nearMisses: readonly Candidate[], store: GazetteerStore): Refusal {
  const { plain, turned } = parsed.readings;
  const readings = [...plain, ...turned];
  const suggested = (own: readonly string[]): string[] =>
    distinctSuggestions([...own, ...near(nearMisses, store), ...elsewhere(readings, store)]);
  if (readings.length === 0) return unreadable(parsed, store);
  if (readings.every(({ written }) => isIntersection(written)))
    return refusal('INTERSECTION', 'An intersection is not a civic address.');
  if (nearMisses.length > 0) return refusal('LOW_CONFIDENCE', whyNotBelieved(nearMisses), suggested([]));
  if (!parsed.isPlaced) return withoutMunicipality(parsed, suggested([]));
  for (const reading of readings) {
    const streets = findStreets({ reading, postalCode: parsed.postalCode, link: byName }, store);
    if (streets.length === 0) continue;
    const numbers = streets.flatMap(({ street }) =>
      neighboursOf(street, reading.civic).map((point) => suggestion({ street, point }, store)),
    );
    return refusal('CIVIC_NOT_ON_STREET', 'The street is known, the civic number is not.', suggested(numbers));
  }
  const similar = plain
    .flatMap((reading) => [...correctedReadings(reading, store), ...withoutLastWord(reading)])
    .flatMap((reading) => numbersOf(reading, byName.csds(reading, null, store), store));
  return refusal('STREET_NOT_FOUND', 'The municipality has no such street.', suggested(similar));
}

function whyNotBelieved(nearMisses: readonly Candidate[]): string {
  const best = nearMisses.reduce((a, b) => (b.score > a.score ? b : a));
  const worst = best.faults.reduce((a, b) => (b.penalty > a.penalty ? b : a));
  return `A place was found, but ${worst.detail}.`;
}

function near(nearMisses: readonly Candidate[], store: GazetteerStore): string[] {
  return nearMisses.toSorted((a, b) => b.score - a.score).map((found) => suggestion(found, store));
}

/** "Linkwood La": the last word may be a type in an abbreviation that nobody else uses. */
function withoutLastWord(reading: Reading): Reading[] {
  const typedStreet = parseStreet(reading.written.slice(0, -1));
  return typedStreet === null ? [] : [{ ...reading, typedStreet }];
}

/** Returns the same number on streets of the name in each place that the address names, then in any. */
function elsewhere(readings: readonly Reading[], store: GazetteerStore): string[] {
  const named = readings.flatMap((reading) => {
    const csds = reading.municipalities.flatMap((name) => store.municipality(name).map(({ csd }) => csd));
    return numbersOf(reading, csds, store);
  });
  return [
    ...named,
    ...readings.flatMap((reading) => numbersOf(reading, store.csdsWith(reading.typedStreet.key), store)),
  ];
}

/**
 * An address with words that no reading accounts for: suggests what it would be with another letter in the town, then without one of its parts
 * ("(back door)"), then the street before those words.
 */
function unreadable(parsed: ParsedAddress, store: GazetteerStore): Refusal {
  const why = whyUnreadable(parsed);
  if (why.reason === 'NON_CIVIC_ADDRESS' || why.reason === 'INTERSECTION') return why;
  const names = store.municipalityNames;
  const cuts = withoutOnePart(parsed.words).flatMap(({ rest }) => cutPlaces(rest, names));
  const placed = new Readings([...cutMisspeltPlaces(parsed.words, names), ...cuts], names).plain;
  const readings = [...placed, ...readingsBeforeUnknown(parsed, names)];
  if (readings.length === 0) return why;
  const detail = 'Some words of the address are not understood.';
  return refusal('LOW_CONFIDENCE', detail, distinctSuggestions(elsewhere(readings, store)));
}

/** Longest remainder that cannot be a municipality's name, in letters. */
const SHORTEST_UNKNOWN = 2;

function withoutMunicipality({ words }: ParsedAddress, suggestions: readonly string[]): Refusal {
  // A short remainder behind a street may be its direction; no municipality has such a short name.
  const unknown = cutUnknownPlace(words)
    .map((cut) => cut.unknown)
    .find((name) => name.length > SHORTEST_UNKNOWN);
  return unknown === undefined
    ? refusal('MUNICIPALITY_REQUIRED', 'The address names no municipality.', suggestions)
    : refusal('MUNICIPALITY_NOT_FOUND', `The register knows no municipality "${unknown}".`, suggestions);
}

/** Returns the number of a reading on streets of its name in several municipalities. */
function numbersOf(reading: Reading, csds: readonly number[], store: GazetteerStore): string[] {
  return [...new Set(csds)]
    .slice(0, MOST_SUBDIVISIONS)
    .flatMap((csd) => store.streets(reading.typedStreet.key, csd))
    .flatMap((street) =>
      street
        .pointsOf(reading.civic)
        .slice(0, 1)
        .map((point) => suggestion({ street, point }, store)),
    );
}
