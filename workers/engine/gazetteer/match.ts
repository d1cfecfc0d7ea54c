import { ACCEPTED_SCORE, fault } from '../../../src/addresses/faults.ts';
import { isRural } from '../../../src/addresses/postal-code.ts';
import type { Reading } from '../../../src/addresses/reading.ts';
import type { Fault } from '../../../src/messages/wire/geocode.ts';
import { candidate, type Candidate } from './candidate.ts';
import { matchCivic, postalFaults } from './civic-match.ts';
import { interpolate } from './interpolate.ts';
import type { MunicipalityLink } from './municipality-link.ts';
import type { GazetteerStore } from './store.ts';
import { streetFaults } from './street-faults.ts';
import type { Street } from './street-record.ts';

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
  return findStreets(question, store).flatMap(({ street, faults }): Candidate[] => {
    const between = interpolate(street, reading.civic);
    if (!between?.fits(postalCode) || faults.some(({ code }) => tooUncertain.has(code))) return [];
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
 * Says whether a candidate may be the answer. Another type or direction, and a corrected municipality (which may be the
 * name of another place), are accepted only where the postal code supports the place: the very code, or one of its area
 * in a town. The area of a rural code is a township wide.
 */
export function isAcceptable({ score, faults, point }: Candidate, postalCode: string | null): boolean {
  if (score < ACCEPTED_SCORE) return false;
  if (!faults.some(({ code }) => contradictions.has(code) || code === 'MUNICIPALITY_CORRECTED')) return true;
  if (postalCode === null || point.postalCode === null) return false;
  return (
    postalCode === point.postalCode || (!isRural(postalCode) && postalCode.startsWith(point.postalCode.slice(0, 3)))
  );
}
