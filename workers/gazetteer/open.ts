import type Gdal from 'gdal-async';
import { distanceM } from '../../src/addresses/distance.ts';
import { parseAddress, type Reading } from '../../src/addresses/parse.ts';
import type { Gazetteer, GeocodeResult, RefusalReason } from '../../src/contract/geocode.ts';
import { asGeocode, suggestion, type Candidate } from './candidate.ts';
import { matchReading } from './match.ts';
import { GazetteerStore } from './store.ts';

/** Scores this near each other do not decide between two places. */
const TIE = 0.015;

/** Points this near each other are one place. */
const SAME_PLACE_M = 100;

/** One canonical address may have points this far apart (a campus, a farm); farther apart they are two places. */
const SAME_ADDRESS_M = 500;

const MOST_SUGGESTIONS = 5;

/**
 * Opens the gazetteer of a snapshot's GeoPackage. It holds the dataset's layers, so the dataset must stay open.
 * @throws Error when there is none, or it was built with another version of the normaliser.
 */
export function openGazetteer(dataset: Gdal.Dataset): Gazetteer {
  const store = new GazetteerStore(dataset);
  return { geocode: (address) => geocode(address, store) };
}

function geocode(address: string, store: GazetteerStore): GeocodeResult {
  const parsed = parseAddress(address, (key) => store.isMunicipality(key));
  if ('refused' in parsed) return refusal(parsed.refused, parsed.detail);
  const { readings, postalCode } = parsed;
  const matches = readings.map((reading) => matchReading(reading, postalCode, store));
  const candidates = matches.flatMap((match) => match.candidates).sort((a, b) => b.score - a.score);
  const [best] = candidates;
  if (best) return decide(best, candidates, store);
  if (matches.some(({ streets }) => streets.length > 0)) {
    return refusal('CIVIC_NOT_ON_STREET', 'The street is known, the civic number is not.');
  }
  return noStreet(readings);
}

/** One place is the answer; several equally good ones are not. */
function decide(best: Candidate, candidates: readonly Candidate[], store: GazetteerStore): GeocodeResult {
  const address = suggestion(best, store);
  const rivals = candidates.filter((other) => {
    const apartM = distanceM(other.point, best.point);
    const isOneAddress = apartM <= SAME_ADDRESS_M && suggestion(other, store) === address;
    return other.score > best.score - TIE && apartM > SAME_PLACE_M && !isOneAddress;
  });
  if (rivals.length === 0 && best.uncertaintyM <= SAME_ADDRESS_M) return { found: asGeocode(best, store) };
  const suggestions = [...new Set([best, ...rivals].map((found) => suggestion(found, store)))];
  return refusal('AMBIGUOUS', 'Several places answer to this address.', suggestions.slice(0, MOST_SUGGESTIONS));
}

function noStreet(readings: readonly Reading[]): GeocodeResult {
  return readings.some(({ municipalities }) => municipalities.length > 0)
    ? refusal('STREET_NOT_FOUND', 'The municipality has no street of this name.')
    : refusal('MUNICIPALITY_REQUIRED', 'The address names no municipality that the register knows.');
}

function refusal(reason: RefusalReason, detail: string, suggestions: readonly string[] = []): GeocodeResult {
  return { refused: { reason, detail, suggestions } };
}
