import type { Refusal } from '../contract/geocode.ts';
import type { RefusalReason } from '../reasons.ts';
import { cutMunicipalities, type MunicipalityNames } from './municipality-cut.ts';
import { municipalityKey } from './municipality-name.ts';
import { parseCivic } from './parse-civic.ts';
import { removeDelivery } from './parse-delivery.ts';
import { takeTail } from './parse-tail.ts';
import { isOntarioPostalCode } from './postal-code.ts';
import type { MunicipalityCut, Reading } from './reading.ts';
import { placesElsewhere } from './regions.ts';
import { parseStreet } from './street-name.ts';
import { tokenise } from './tokens.ts';

/** An address split as far as possible without knowing the streets. */
export interface ParsedAddress {
  /**
   * Ways to cut off the municipality, the longest name first; one cut without a municipality when the address names
   * none.
   */
  readonly cuts: readonly MunicipalityCut[];
  readonly postalCode: string | null;
  /** All words except country, province, postal code and delivery phrases. */
  readonly words: readonly string[];
  /** Name of the delivery phrase that was removed: "post office box". */
  readonly delivery: string | null;
}

/**
 * Splits an address into its parts. Case, accents, spacing and punctuation make no difference.
 * @returns a refusal when the address names a place outside Ontario.
 */
export function parseAddress(text: string, names: MunicipalityNames): ParsedAddress | Refusal {
  const tail = takeTail(tokenise(text), (words) => names.has(municipalityKey(words)));
  const elsewhere = tail.elsewhere ?? foreignPostalCode(tail.postalCode);
  if (elsewhere !== null) return outOfArea(elsewhere);
  const { words, label } = removeDelivery(tail.words);
  const cuts = cutMunicipalities(words, names);
  const place = cuts.length === 0 && tail.postalCode === null ? placeElsewhere(words) : null;
  if (place !== null) return outOfArea(place);
  return {
    cuts: cuts.length > 0 ? cuts : [{ head: words, municipalities: [], faults: [] }],
    postalCode: tail.postalCode,
    words,
    delivery: label,
  };
}

function foreignPostalCode(code: string | null): string | null {
  return code === null || isOntarioPostalCode(code) ? null : `the postal code ${code}`;
}

/** "1 Rue Notre-Dame Ouest, Montréal" names no province. */
function placeElsewhere(words: readonly string[]): string | null {
  const place = [1, 2, 3].map((n) => words.slice(-n)).find((last) => placesElsewhere.has(municipalityKey(last)));
  return place?.join(' ') ?? null;
}

function outOfArea(place: string): Refusal {
  return refusal('OUT_OF_AREA', `The address names ${place}, which is not in Ontario.`);
}

export function refusal(reason: RefusalReason, detail: string, suggestions: readonly string[] = []): Refusal {
  return { reason, detail, suggestions };
}

const MOST_SUGGESTIONS = 5;

export function ambiguous(addresses: readonly string[]): Refusal {
  return refusal('AMBIGUOUS', 'Several places answer to this address.', distinctSuggestions(addresses));
}

/** Removes duplicates and limits the number of suggestions. */
export function distinctSuggestions(addresses: readonly string[]): string[] {
  return [...new Set(addresses)].slice(0, MOST_SUGGESTIONS);
}

/** Returns the plain reading of a cut; null when it does not begin with a civic number and a street. */
function plainReading({ head, municipalities, faults }: MunicipalityCut): Reading | null {
  const civic = parseCivic(head);
  const typedStreet = civic && parseStreet(civic.streetWords);
  if (!typedStreet) return null;
  return {
    unit: civic.unit,
    civic: civic.civic,
    suffix: civic.suffix,
    typedStreet,
    written: civic.streetWords,
    municipalities,
    faults,
  };
}

/** Returns the plain readings of the cuts that have one. */
export function plainReadings(cuts: readonly MunicipalityCut[]): Reading[] {
  return cuts.map(plainReading).filter((reading) => reading !== null);
}

/** Says why an address cannot be read. */
export function whyUnreadable({ words, delivery }: ParsedAddress): Refusal {
  if (delivery !== null) return refusal('NON_CIVIC_ADDRESS', `A ${delivery} is not a civic address.`);
  if (isIntersection(words)) return refusal('INTERSECTION', 'An intersection is not a civic address.');
  return refusal('CIVIC_NUMBER_REQUIRED', 'A civic address begins with a number and a street name.');
}

export function isIntersection(words: readonly string[]): boolean {
  return (
    words.some((word, i) => i < words.length - 1 && /^(?:CORNER|INTERSECTION|COIN)$/.test(word)) ||
    words.slice(1, -1).some((word) => /^(?:AND|AT|ET)$/.test(word))
  );
}
