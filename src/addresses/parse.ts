import type { RefusalReason } from '../contract/geocode.ts';
import { municipalityKey } from './municipality-name.ts';
import { parseCivic } from './parse-civic.ts';
import { removeDelivery } from './parse-delivery.ts';
import { takeTail } from './parse-tail.ts';
import { isOntarioPostalCode } from './postal-code.ts';
import { placesElsewhere } from './regions.ts';
import { parseStreet, type StreetParts } from './street-name.ts';
import { tokenise } from './tokens.ts';

/** One way to understand an address. */
export interface Reading {
  readonly unit: string | null;
  readonly civic: number;
  /** A letter or a fraction such as "1/2". */
  readonly suffix: string | null;
  readonly street: StreetParts;
  /** Keys of the municipalities named, the one next to the street first; empty when none is. */
  readonly municipalities: readonly string[];
}

export type ParsedAddress =
  | { readonly readings: readonly Reading[]; readonly postalCode: string | null }
  | { readonly refused: RefusalReason; readonly detail: string };

/** Whether a key of `municipalityKey` names a place that is known. */
export type KnownMunicipality = (key: string) => boolean;

/**
 * Reads an address into every way it can be understood, most likely first; which one holds, the gazetteer decides. Case, accents,
 * spacing and punctuation make no difference.
 */
export function parseAddress(text: string, isKnown: KnownMunicipality): ParsedAddress {
  const tail = takeTail(tokenise(text), (words) => isKnown(municipalityKey(words)));
  const elsewhere = tail.elsewhere ?? (tail.postalCode === null ? null : foreignPostalCode(tail.postalCode));
  if (elsewhere !== null) return refuse('OUT_OF_AREA', `The address names ${elsewhere}, which is not in Ontario.`);
  const { words, label } = removeDelivery(tail.words);
  const readings = municipalityOptions(words, isKnown).flatMap(({ head, municipalities }): Reading[] => {
    const civic = parseCivic(head);
    const street = civic && parseStreet(civic.street);
    return street ? [{ unit: civic.unit, civic: civic.civic, suffix: civic.suffix, street, municipalities }] : [];
  });
  if (readings.length > 0) return checkElsewhere(words, readings, tail.postalCode);
  return whyNone(words, label);
}

function foreignPostalCode(code: string): string | null {
  return isOntarioPostalCode(code) ? null : `the postal code ${code}`;
}

/** A place elsewhere counts when no municipality of the register is named: "1 Rue Notre-Dame Ouest, Montréal". */
function checkElsewhere(
  words: readonly string[],
  readings: readonly Reading[],
  postalCode: string | null,
): ParsedAddress {
  const named = readings.some((reading) => reading.municipalities.length > 0);
  const place = [1, 2, 3].map((n) => words.slice(-n)).find((last) => placesElsewhere.has(municipalityKey(last)));
  if (!named && postalCode === null && place) {
    return refuse('OUT_OF_AREA', `The address names ${place.join(' ')}, which is not in Ontario.`);
  }
  return { readings, postalCode };
}

function whyNone(words: readonly string[], delivery: string | null): ParsedAddress {
  if (delivery !== null) return refuse('NON_CIVIC_ADDRESS', `A ${delivery} is not a civic address.`);
  if (isIntersection(words)) return refuse('INTERSECTION', 'An intersection is not a civic address.');
  return refuse('CIVIC_NUMBER_REQUIRED', 'A civic address begins with a number and a street name.');
}

function isIntersection(words: readonly string[]): boolean {
  return words.some(
    (word, i) => i > 0 && i < words.length - 1 && /^(?:AND|AT|ET|CORNER|INTERSECTION|COIN)$/.test(word),
  );
}

function refuse(refused: RefusalReason, detail: string): ParsedAddress {
  return { refused, detail };
}

interface MunicipalityOption {
  readonly head: readonly string[];
  readonly municipalities: readonly string[];
}

const LONGEST_MUNICIPALITY = 7;

/** The ways to cut the municipality off the end, longest name first; a second name before it ("Cumberland, Ottawa") is cut as well. */
function municipalityOptions(words: readonly string[], isKnown: KnownMunicipality): MunicipalityOption[] {
  const options = cutMunicipality(words, isKnown).flatMap((cut) => {
    const [inner] = cutMunicipality(cut.head, isKnown);
    const option = { head: cut.head, municipalities: [cut.key] };
    return inner ? [option, { head: inner.head, municipalities: [inner.key, cut.key] }] : [option];
  });
  return options.length > 0 ? options : [{ head: words, municipalities: [] }];
}

function cutMunicipality(
  words: readonly string[],
  isKnown: KnownMunicipality,
): { head: readonly string[]; key: string }[] {
  const cuts: { head: readonly string[]; key: string }[] = [];
  for (let n = Math.min(LONGEST_MUNICIPALITY, words.length - 2); n > 0; n--) {
    const key = municipalityKey(words.slice(-n));
    if (key !== '' && isKnown(key) && !cuts.some((cut) => cut.key === key))
      cuts.push({ head: words.slice(0, -n), key });
  }
  return cuts;
}
