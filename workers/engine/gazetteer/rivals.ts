import { scoreOf } from '../../../src/addresses/faults.ts';
import { SAME_ADDRESS_M, SAME_PLACE_M, TIE, distanceM } from '../../../src/addresses/distance.ts';
import { isRural } from '../../../src/addresses/postal-code.ts';
import type { Reading } from '../../../src/addresses/reading.ts';
import type { Coordinate } from '../../../src/messages/lookup.ts';
import type { Candidate } from './candidate.ts';
import type { CivicPoint } from './civic-block.ts';
import { postalFaults } from './civic-match.ts';
import { findStreets, type Question, type StreetMatch } from './match.ts';
import type { GazetteerStore } from './store.ts';
import type { Street } from './street-record.ts';

/** A street's numbers may go on so far beyond the last one that the register has. */
const BEYOND_END = 50;

/** Most metres of a street between a number and the next one. */
const METRES_PER_NUMBER = 20;

/** A place between two numbers of one road is not much farther from them than they are from each other. */
export const DETOUR = 1.5;

/** A place that an address may mean although the register lacks its number: the street is there. */
export interface Missing {
  readonly reading: Reading;
  readonly street: Street;
  /** What the words of the address say about the street, whatever the unit and the suffix. */
  readonly fit: number;
  /** The nearest numbers that the register has, below and above. */
  readonly neighbours: readonly CivicPoint[];
}

/**
 * Finds the streets that a reading names and that could have its number, but on which the register does not know it. The
 * number may be missing there, so such a street speaks against another place.
 * @param anyNumber also streets whose known numbers end long before.
 */
export function findMissing(question: Question, store: GazetteerStore, anyNumber: boolean): Missing[] {
  if (question.reading.needsSuffix) return [];
  return findStreets(question, store).flatMap((match) => missingOn(match, question, anyNumber) ?? []);
}

function missingOn({ street, faults }: StreetMatch, { reading, postalCode }: Question, any: boolean): Missing | null {
  if (street.pointsOf(reading.civic).some(({ suffix }) => suffix === reading.suffix)) return null;
  const neighbours = neighboursOf(street, reading.civic);
  const [nearest] = neighbours;
  if (!nearest) return null;
  // Behind the end of the known numbers there may be more, which is too little for an unlikely reading.
  const isNearEnd = Math.abs(nearest.civic - reading.civic) <= BEYOND_END && reading.faults.length === 0;
  if (neighbours.length < 2 && !isNearEnd && !any) return null;
  // A postal code that is that of neither neighbour's area is not that of the number between them.
  const [postal = []] = neighbours
    .map((point) => postalFaults(postalCode, point.postalCode))
    .sort((a, b) => scoreOf(b) - scoreOf(a));
  return { reading, street, fit: scoreOf([...faults, ...postal]), neighbours };
}

/**
 * Returns the other half of a street that was found without its direction: "King St" may be King St E or W. The halves
 * may belong to different mailing municipalities, and each begins at a low number.
 */
export function otherHalves({ reading, street, point: at }: Candidate, store: GazetteerStore): Missing[] {
  return store.streets(street.key, street.csd).flatMap((half): Missing[] => {
    if (half.type !== street.type || half.direction === street.direction || half.direction === null) return [];
    const known = half.pointsOf(reading.civic);
    if (known.some((point) => distanceM(point, at) <= SAME_PLACE_M)) return [];
    const neighbours = neighboursOf(half, reading.civic);
    const isPossible = neighbours.some(({ civic }) => civic >= reading.civic - BEYOND_END);
    return isPossible ? [{ reading, street: half, fit: 1, neighbours }] : [];
  });
}

/** Returns the known numbers next to a civic number, one below and one above where there are. */
export function neighboursOf(street: Street, civic: number): CivicPoint[] {
  return [street.below(civic), street.from(civic)].flatMap((points) => {
    for (const point of points) return [point];
    return [];
  });
}

/**
 * Says whether the address may as well mean the place with the missing number: its words fit that street as well as the
 * one that was found, and the number would lie elsewhere.
 * @param postalCode as asked. When it is the found point's own, it decides against a street without a code of its area.
 */
export function speaksAgainst(
  { reading, street, fit, neighbours }: Missing,
  found: Candidate,
  postalCode: string | null,
): boolean {
  if (fit <= fitOfStreet(found) - TIE) return false;
  if (postalCode !== null && found.point.postalCode === postalCode && !isRural(postalCode)) {
    const area = postalCode.slice(0, 3);
    if (!neighbours.some((point) => point.postalCode?.startsWith(area))) return false;
  }
  if (street.direction !== found.street.direction) return true;
  return reading.civic === found.reading.civic
    ? !isOnSameRoad(neighbours, reading.civic, found.point)
    : distanceM(between(neighbours, reading.civic), found.point) > SAME_PLACE_M;
}

/** How well the words fit the street and number, whatever the unit and the suffix. */
export function fitOfStreet({ fit, faults }: Candidate): number {
  const unknown = faults.filter(({ code }) => code === 'UNIT_UNKNOWN' || code === 'SUFFIX_UNKNOWN');
  return fit + 1 - scoreOf(unknown);
}

/** The place of a number between its neighbours, if the street is straight. */
function between([first, second = first]: readonly CivicPoint[], civic: number): Coordinate {
  const [low, high] = [first!, second!];
  const share = low.civic === high.civic ? 0 : (civic - low.civic) / (high.civic - low.civic);
  return { lat: low.lat + (high.lat - low.lat) * share, lon: low.lon + (high.lon - low.lon) * share };
}

/** Many roads go on under the same name where the mail is sorted under another. */
function isOnSameRoad(neighbours: readonly CivicPoint[], civic: number, at: Coordinate): boolean {
  const [first, second] = neighbours;
  const apartM = neighbours.map((point) => distanceM(point, at));
  if (Math.min(...apartM) <= SAME_ADDRESS_M) return true;
  if (second === undefined)
    return apartM[0]! <= SAME_ADDRESS_M + METRES_PER_NUMBER * Math.min(BEYOND_END, Math.abs(first!.civic - civic));
  return apartM[0]! + apartM[1]! <= DETOUR * distanceM(first!, second);
}
