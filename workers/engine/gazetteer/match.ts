import { ACCEPTED_SCORE, fault, PART_OF_TOWN } from '../../../src/addresses/faults.ts';
import { isRural } from '../../../src/addresses/postal-code.ts';
import type { Reading } from '../../../src/addresses/reading.ts';
import type { Fault } from '../../../src/messages/wire/geocode.ts';
import { type Candidate, candidate } from './candidate.ts';
import { hasDigit, isOtherSide, matchCivic, postalFaults } from './civic-match.ts';
import type { MunicipalityLink } from './municipality-link.ts';
import type { GazetteerStore } from './store.ts';
import type { Street } from './street-record.ts';
import type { StreetParts } from '../../../src/addresses/street-name.ts';
import { sameStreetType } from '../../../src/addresses/street-types.ts';
import { distanceM } from '../../../src/addresses/distance.ts';
import type { Coordinate } from '../../../src/messages/lookup.ts';
import type { CivicPoint } from './civic-block.ts';

/** Expected error of a register point, metres, 90 % of cases (docs/geocoding.md). */
export const registerUncertaintyM = { building: 30, blockface: 176 } as const;

const FEW_SUBDIVISIONS = 2;

/** A reading with the evidence for its municipality. */
export interface Question {
  readonly reading: Reading;
  readonly postalCode: string | null;
  readonly link: MunicipalityLink;
}

/** A street that may be the right one, with its faults. */
export interface StreetMatch {
  readonly street: Street;
  readonly faults: readonly Fault[];
}

/** Finds places at which the register has the civic number itself. */
export function findKnown(question: Question, store: GazetteerStore): Candidate[] {
  const found: Candidate[] = [];
  for (const match of findStreets(question, store)) {
    const known = knownOn(match, question, store);
    if (known !== null) found.push(known);
  }
  return found;
}

function knownOn(
  { street, faults }: StreetMatch,
  { reading, postalCode, link }: Question,
  store: GazetteerStore,
): Candidate | null {
  const civic = matchCivic(reading, postalCode, street);
  if (civic === null) return null;
  const { point, spreadM } = civic;
  const area = point.postalCode === null ? areaFaults(postalCode, street, store) : [];
  const place = link.ofPoint(reading, { street, point, postalCode }, store);
  if (place === null) return null;
  const accuracy = point.blockface ? 'blockface' : 'building';
  const doubtful = point.outlier
    ? [fault('POSITION_DOUBTFUL', "the register's position contradicts its neighbours")]
    : [];
  return candidate({
    reading,
    street,
    point,
    accuracy,
    uncertaintyM: Math.max(registerUncertaintyM[accuracy], Math.round(spreadM)),
    faults: [...reading.faults, ...place, ...faults, ...civic.faults, ...area, ...doubtful],
  });
}

/** Faults with which no number is interpolated, because another street of the same name may have it. */
const tooUncertain = new Set(['TYPE_DIFFERS', 'DIRECTION_MISSING', 'DIRECTION_EXTRA', 'DIRECTION_DIFFERS']);

/** Finds places between two known civic numbers. */
export function findBetween(question: Question, store: GazetteerStore): Candidate[] {
  const { reading, postalCode, link } = question;
  if (reading.needsSuffix) return [];
  return findStreets(question, store).flatMap(({ street, faults }): Candidate[] => {
    const between = interpolate(street, reading.civic);
    if (!between?.fits(postalCode) || faults.some(({ code }) => tooUncertain.has(code))) return [];
    if (hasDigit(reading, street) || isOtherSide(reading, street)) return [];
    const point = { ...between, civic: reading.civic, suffix: reading.suffix, spelling: 0 };
    const place = link.ofPoint(reading, { street, point, postalCode }, store);
    if (place === null) return [];
    const [low, high] = between.between;
    return [
      candidate({
        reading,
        street,
        point,
        accuracy: 'interpolated',
        uncertaintyM: between.uncertaintyM,
        faults: [
          ...[...reading.faults, ...place, ...faults, fault('INTERPOLATED', `placed between ${low} and ${high}`)],
          ...(between.postalCode === null
            ? areaFaults(postalCode, street, store)
            : postalFaults(postalCode, between.postalCode)),
        ],
      }),
    ];
  });
}

/** Streets of the reading's name that the link connects with the municipality. */
export function findStreets({ reading, postalCode, link }: Question, store: GazetteerStore): StreetMatch[] {
  const wanted = new Set(link.csds(reading, postalCode, store));
  if (wanted.size === 0) return [];
  // Reading the row of names is worthwhile only when it saves reading several other rows.
  const csds =
    wanted.size <= FEW_SUBDIVISIONS
      ? [...wanted]
      : store.csdsWith(reading.typedStreet.key).filter((csd) => wanted.has(csd));
  const placed: StreetMatch[] = [];
  for (const csd of csds) {
    for (const street of store.streets(reading.typedStreet.key, csd)) {
      const faults = link.ofStreet(reading, street, store);
      if (faults !== null) placed.push({ street, faults });
    }
  }
  const siblings = placed.map(({ street }) => street);
  const matches: StreetMatch[] = [];
  for (const { street, faults } of placed) {
    const differences = streetFaults(reading.typedStreet, street, siblings);
    if (differences !== null) matches.push({ street, faults: [...faults, ...differences] });
  }
  return matches;
}

/** A postal code of another area contradicts a place for which the register has no code. */
function areaFaults(asked: string | null, { csd }: Street, store: GazetteerStore): Fault[] {
  if (asked === null) return [];
  const districts = store.postalDistrictsOf(csd);
  if (districts.size === 0 || store.csdsOfPostalArea(asked.slice(0, 3)).includes(csd)) return [];
  const code = districts.has(asked[0]!) ? 'POSTAL_AREA_DIFFERS' : 'POSTAL_DISTRICT_DIFFERS';
  return [fault(code, `${asked} is not a code of ${store.csds[csd]?.name ?? ''}`)];
}

/** Faults with which a street is another one than the words say. */
const contradictions = new Set(['TYPE_DIFFERS', 'DIRECTION_DIFFERS', 'DIRECTION_EXTRA']);

/**
 * Says whether a candidate may be the answer. Another type or direction, a corrected name without its type or direction ("Nelson" is not
 * Neilson Dr, nor "KingE St" King St W), and a
 * corrected municipality (which may be the name of another place), are accepted only where the postal code supports the place: the very code, or one of its area
 * in a town. The area of a rural code is a township wide.
 */
export function isAcceptable({ score, faults, point }: Candidate, postalCode: string | null): boolean {
  if (score < ACCEPTED_SCORE) return false;
  if (faults.length === 0) return true;
  const isSideMissing = faults.some(({ code }) => code === 'DIRECTION_MISSING');
  if (isSideMissing && faults.some(({ detail }) => detail === PART_OF_TOWN)) return false;
  if (!needsCode(faults)) return true;
  if (postalCode === null || point.postalCode === null) return false;
  return (
    postalCode === point.postalCode || (!isRural(postalCode) && postalCode.startsWith(point.postalCode.slice(0, 3)))
  );
}

/** Says whether a street may be another one than was meant, unless the postal code says otherwise. */
function needsCode(faults: readonly Fault[]): boolean {
  const isPartMissing = faults.some(({ code }) => code === 'TYPE_MISSING' || code === 'DIRECTION_MISSING');
  if (isPartMissing && faults.some(({ code }) => code.endsWith('STREET_CORRECTED'))) return true;
  return faults.some(({ code }) => contradictions.has(code) || code === 'MUNICIPALITY_CORRECTED');
}

/**
 * Returns how the requested type and direction differ from a street's; null when it is another street, because
 * `siblings` has one with the requested type or direction.
 * @param siblings streets of the same name in the requested municipality.
 */
function streetFaults(asked: StreetParts, street: Street, siblings: readonly Street[]): Fault[] | null {
  const type = typeFault(asked, street, siblings);
  const direction = directionFault(asked, street, siblings);
  if (type === null || direction === null) return null;
  return [...type, ...direction];
}

function typeFault({ key, type: asked }: StreetParts, { type }: Street, siblings: readonly Street[]): Fault[] | null {
  if (asked === type) return [];
  if (asked !== null && type !== null && sameStreetType(asked, type)) {
    return [fault('TYPE_IN_OTHER_LANGUAGE', `the register has ${type} for ${asked}`)];
  }
  // "7" alone says nothing: Highway 7, the 7th Line and 7th Avenue are three roads.
  if (/^\d/.test(key)) return null;
  if (asked === null) return [fault('TYPE_MISSING', `the street is of type ${type ?? ''}`)];
  if (siblings.some((other) => other.type !== null && sameStreetType(other.type, asked))) return null;
  return [fault('TYPE_DIFFERS', `the street is of type ${type ?? 'none'}, not ${asked}`)];
}

function directionFault(asked: StreetParts, street: Street, siblings: readonly Street[]): Fault[] | null {
  if (asked.direction === street.direction) return [];
  if (asked.direction === null) return [fault('DIRECTION_MISSING', `the street is ${street.direction ?? ''}`)];
  const sameType = siblings.filter((other) => other.type === street.type);
  if (sameType.some((other) => other.direction === asked.direction)) return null;
  return street.direction === null
    ? [fault('DIRECTION_EXTRA', `the street has no direction ${asked.direction}`)]
    : [fault('DIRECTION_DIFFERS', `the street is ${street.direction}, not ${asked.direction}`)];
}

/**
 * Largest distance between neighbours, in metres and in numbers; if they are farther apart, nothing follows for the
 * numbers between.
 */
const LONGEST_SPAN_M = 500;
const WIDEST_GAP = 100;

/** Farther apart than this, numbers that differ by at most `WIDEST_GAP` are of two streets. */
const OTHER_STREET_M = 2000;

/**
 * Share of the span that holds 90 % of the errors (measured by leaving out each point of the national register in
 * turn).
 */
const UNCERTAIN_SHARE = 0.5;

/** Least uncertainty: an interpolated point is never better than a register point. */
const LEAST_UNCERTAINTY_M = 30;

interface Interpolated extends Coordinate {
  readonly uncertaintyM: number;
  readonly between: readonly [number, number];
  /** The neighbours' postal code, if both have the same. */
  readonly postalCode: string | null;
  /** Says whether a postal area is that of a neighbour, if the neighbours have one. */
  fits(postalCode: string | null): boolean;
}

/**
 * Places a civic number that the register does not have between its two known neighbours on the same side of the
 * street. Null beyond the end of the known numbers, and when the neighbours are too far apart.
 */
export function interpolate(street: Street, civic: number): Interpolated | null {
  const before = neighbour(street.below(civic), civic);
  const after = neighbour(street.from(civic), civic);
  if (!before || !after || after.civic - before.civic > WIDEST_GAP) return null;
  const spanM = distanceM(before, after);
  if (spanM > LONGEST_SPAN_M) return null;
  const share = (civic - before.civic) / (after.civic - before.civic);
  const isTwice = [street.below(civic), street.from(civic)].some((points) => leavesStreet(points, civic, before));
  if (isTwice) return null;
  return {
    lat: rounded(before.lat + (after.lat - before.lat) * share),
    lon: rounded(before.lon + (after.lon - before.lon) * share),
    uncertaintyM: Math.max(LEAST_UNCERTAINTY_M, Math.round(spanM * UNCERTAIN_SHARE)),
    between: [before.civic, after.civic],
    postalCode: before.postalCode === after.postalCode ? before.postalCode : null,
    fits: (postalCode) => {
      const areas = [before, after].flatMap((point) => point.postalCode?.slice(0, 3) ?? []);
      return postalCode === null || areas.length === 0 || areas.includes(postalCode.slice(0, 3));
    },
  };
}

/**
 * Says whether near numbers lie so far away that the register has two streets of one name in one municipality, as many
 * cities do that were several towns. The number may then be missing on either.
 */
function leavesStreet(points: Iterable<CivicPoint>, civic: number, at: CivicPoint): boolean {
  for (const point of points) {
    if (Math.abs(point.civic - civic) > WIDEST_GAP) return false;
    if (!point.outlier && distanceM(point, at) > OTHER_STREET_M) return true;
  }
  return false;
}

/** Finds the nearest known number in one direction that is on the same side and is a building. */
function neighbour(points: Iterable<CivicPoint>, civic: number): CivicPoint | null {
  for (const point of points) {
    if (Math.abs(point.civic - civic) > WIDEST_GAP) return null;
    if ((point.civic - civic) % 2 === 0 && !point.blockface && !point.outlier) return point;
  }
  return null;
}

function rounded(degrees: number): number {
  return Math.round(degrees * 1_000_000) / 1_000_000;
}
