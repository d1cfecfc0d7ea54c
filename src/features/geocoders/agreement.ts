import { ACCEPTED_SCORE, fault, scoreOf } from '../../addresses/faults.ts';
import { formatAddress } from '../../addresses/format.ts';
import { parseAddress } from '../../addresses/parse.ts';
import { civicText } from '../../addresses/parse-civic.ts';
import { displayPostalCode, postalCode } from '../../addresses/postal-code.ts';
import type { Reading } from '../../addresses/reading.ts';
import { ontario } from '../../addresses/regions.ts';
import { sameStreetType, leadingType, streetType } from '../../addresses/street-types.ts';
import { tokenise } from '../../addresses/tokens.ts';
import type { AddressComponents, Fault, Geocode } from '../../messages/wire/geocode.ts';
import { type StreetParts, parseStreet } from '../../addresses/street-name.ts';
import { addressNames } from './place-names.ts';
import type { Offer } from './provider.ts';
import { direction } from '../../addresses/directions.ts';

/**
 * Expected error in metres, 90 % of cases: points of one source against another's (119 m on a national sample), and places between two known
 * numbers as public locators give them (150 m).
 */
const UNCERTAINTY_M = { building: 120, interpolated: 150 } as const;

/** An offer that agrees with the address, component by component. */
export interface Agreed {
  readonly geocode: Geocode;
  readonly score: number;
  readonly fit: number;
  readonly point: Offer;
  /** True when everything agrees but the offer is in another province. */
  readonly isElsewhere: boolean;
}

/**
 * Compares an offer with the requested address; null when it is another place. Providers always answer something, so
 * every part of an answer is checked: civic number with suffix, street name, and one of the offer's municipalities must
 * be in the address; type, direction and postal area must not contradict it.
 */
export function agree(address: string, offer: Offer, source: string): Agreed | null {
  const offered = readOffer(offer);
  if (!offered) return null;
  const { names } = offered;
  const parsed = parseAddress(address, { has: (key) => names.has(key), ofLength: () => [] });
  if ('reason' in parsed) return null;
  for (const reading of parsed.readings.plain) {
    const municipality = names.get(reading.municipalities[0] ?? '');
    const faults = municipality === undefined ? null : faultsOf(reading, parsed.postalCode, offered);
    if (municipality === undefined || faults === null || scoreOf(faults) < ACCEPTED_SCORE) continue;
    const { civic, street, postalCode: code } = offered;
    const components: AddressComponents = {
      unit: reading.unit,
      civicNumber: civic.civic,
      civicSuffix: civic.suffix,
      ...street.display,
      municipality,
      censusSubdivision: offered.today ?? municipality,
      province: 'ON',
      postalCode: postalCode(code) && displayPostalCode(code),
    };
    return agreed(components, faults, offer, source);
  }
  return null;
}

/** An offer with its texts parsed. */
function readOffer({ street: text, houseNumber, place, postalCode: code, accuracy }: Offer) {
  const street = readStreet(text);
  const civic = civicText(houseNumber);
  if (!street || !civic) return null;
  return {
    civic,
    street,
    ...addressNames(place),
    /** Without a space; "" without a postal code. */
    postalCode: tokenise(code ?? '').join(''),
    isBetween: accuracy === 'interpolated',
  };
}

/** Returns the differences between an address and an offer in its municipality; null when they are two addresses. */
function faultsOf(
  reading: Reading,
  askedCode: string | null,
  offered: NonNullable<ReturnType<typeof readOffer>>,
): Fault[] | null {
  if (reading.civic !== offered.civic.civic || reading.suffix !== offered.civic.suffix) return null;
  const street = streetFaults(reading.typedStreet, offered.street.parts);
  const postal = postalFaults(askedCode, offered.postalCode);
  if (street === null || postal === null) return null;
  const between = offered.isBetween ? [fault('INTERPOLATED', 'placed between known numbers')] : [];
  return [...street, ...postal, ...between];
}

function agreed(components: AddressComponents, faults: readonly Fault[], offer: Offer, source: string): Agreed {
  const score = scoreOf(faults);
  const { lat, lon, accuracy } = offer;
  const geocode: Geocode = {
    address: formatAddress(components),
    lat: rounded(lat),
    lon: rounded(lon),
    accuracy,
    uncertaintyM: UNCERTAINTY_M[accuracy],
    score,
    faults,
    components,
    source,
  };
  return { geocode, score, fit: score, point: offer, isElsewhere: !isOntario(offer.province) };
}

/** Returns null when it is another street. */
function streetFaults(asked: Reading['typedStreet'], offered: StreetParts): Fault[] | null {
  if (asked.key !== offered.key) return null;
  const faults: Fault[] = [];
  if (asked.type === null && offered.type !== null) {
    faults.push(fault('TYPE_MISSING', `the street is of type ${offered.type}`));
  } else if (asked.type !== offered.type) {
    if (asked.type === null || offered.type === null || !sameStreetType(asked.type, offered.type)) return null;
    faults.push(fault('TYPE_IN_OTHER_LANGUAGE', `the street is ${offered.type}, not ${asked.type}`));
  }
  if (asked.direction === null && offered.direction !== null) {
    faults.push(fault('DIRECTION_MISSING', `the street is ${offered.direction}`));
  } else if (asked.direction !== offered.direction) return null;
  return faults;
}

/**
 * Returns null when the codes are of different areas.
 * @param offered "" when there is none.
 */
function postalFaults(asked: string | null, offered: string): Fault[] | null {
  if (asked === null || offered.length < 3 || asked === offered) return [];
  if (asked.slice(0, 3) !== offered.slice(0, 3)) return null;
  if (postalCode(offered) === null || asked.length < offered.length) return [];
  return [fault('POSTAL_CODE_DIFFERS', `the place has ${offered}, not ${asked}`)];
}

/** "ON", "CA-ON", "Ontario". */
function isOntario(province: string | null): boolean {
  return province !== null && ontario.has(tokenise(province.replace(/^CA-/i, '')).join(' '));
}

/** Rounds to six decimals, like the register. */
function rounded(degrees: number): number {
  return Math.round(degrees * 1_000_000) / 1_000_000;
}

type StreetDisplay = Pick<AddressComponents, 'streetName' | 'streetType' | 'streetDirection'>;

/**
 * Reads a street that a provider writes in one text, in a form for comparing and one for display. Null when the text
 * names no street.
 */
function readStreet(text: string): { readonly parts: StreetParts; readonly display: StreetDisplay } | null {
  const parts = parseStreet(tokenise(text));
  return parts && { parts, display: displayOf(text, parts) };
}

/** Splits the name from type and direction; when these are not at its ends, the whole text is the name. */
function displayOf(text: string, parts: StreetParts): StreetDisplay {
  const words = text.trim().split(/\s+/);
  const whole: StreetDisplay = { streetName: words.join(' '), streetType: null, streetDirection: null };
  if (parts.direction !== null) {
    if (direction(fold(words.pop()), true) !== parts.direction) return whole;
  }
  if (parts.type !== null) {
    if (streetType(fold(words.at(-1))) === parts.type) words.pop();
    else if (leadingType(fold(words[0]))?.token === parts.type || streetType(fold(words[0])) === parts.type)
      words.shift();
    else return whole;
  }
  if (words.length === 0) return whole;
  return { streetName: words.join(' '), streetType: parts.type, streetDirection: parts.direction };
}

function fold(word: string | undefined): string {
  return tokenise(word ?? '').join('');
}
