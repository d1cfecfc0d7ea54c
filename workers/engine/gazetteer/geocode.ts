import { direction } from '../../../src/addresses/directions.ts';
import { tokenise } from '../../../src/addresses/tokens.ts';
import { choose, SAME_ADDRESS_M, TIE, distanceM } from '../../../src/addresses/distance.ts';
import {
  type ParsedAddress,
  ambiguous,
  parseAddress,
  Readings,
  readingsBeforeUnknown,
  readingsWithoutPart,
} from '../../../src/addresses/parse.ts';
import { cutMisspeltPlaces } from '../../../src/addresses/places.ts';
import type { Reading, Among } from '../../../src/addresses/reading.ts';
import type { GeocodeResult } from '../../../src/messages/lookup.ts';
import type { ConsideredReading } from '../../../src/messages/wire/geocode.ts';
import { type Candidate, asGeocode, suggestion } from './candidate.ts';
import { correctedReadings, correctedType } from './corrected-names.ts';
import { type Question, findBetween, findKnown, findStreets, isAcceptable, registerUncertaintyM } from './match.ts';
import { type MunicipalityLink, byName, byNeighbourhood, byPostalCode } from './municipality-link.ts';
import { refuse } from './refuse.ts';
import { type Missing, findMissing, fitOfStreet, otherHalves, speaksAgainst, DETOUR, neighboursOf } from './rivals.ts';
import type { GazetteerStore } from './store.ts';
import type { Street } from './street-record.ts';

/**
 * Finds the civic point of an address, or says why not (docs/geocoding.md). All readings that account for every word are
 * looked up, and must agree. What the register knows decides in the order of the evidence: the address itself, the
 * neighbouring municipality, the place of the postal code, a number between two others, one typing error.
 */
export function geocode(address: string, store: GazetteerStore): GeocodeResult {
  const parsed = parseAddress(address, store.municipalityNames);
  if ('reason' in parsed) return { refused: parsed };
  const search = new Search(parsed, store);
  const nearMisses: Candidate[] = [];
  for (const look of evidence) {
    const candidates = look(search);
    const accepted = candidates.filter((found) => isAcceptable(found, parsed.postalCode));
    // Two words contradict each other when the named town has such an address, and the postal code is elsewhere.
    const isContradicted = nearMisses.length > 0 && accepted.some(({ faults }) => has(faults, 'MUNICIPALITY_DIFFERS'));
    const doubtful = candidates.filter(({ faults }) => has(faults, 'POSITION_DOUBTFUL'));
    if (accepted.length > 0 && !isContradicted) return search.decide(accepted, doubtful);
    nearMisses.push(...candidates);
    // If the register has the number but contradicts its position, nothing else may place it.
    if (doubtful.length > 0) break;
  }
  return { refused: refuse(parsed, nearMisses, store) };
}

/** Readings that an answer shows. */
const MOST_READINGS_SHOWN = 5;

/** Ways to find a place, those with the most evidence first. */
const evidence: readonly ((search: Search) => Candidate[])[] = [
  (search) => search.asWritten(),
  (search) => search.known(search.all, byNeighbourhood),
  (search) => search.known([...search.all, ...search.withUnknownPlace()], byPostalCode),
  (search) => search.between(search.all),
  (search) => search.known([...search.correctedStreets(search.plain), ...search.correctedTypes()], byName),
  (search) => search.withMisspeltPlace(),
  (search) => search.withoutUnknownPart(),
];

function has(faults: Candidate['faults'], wanted: string): boolean {
  return faults.some(({ code }) => code === wanted);
}

/** Says whether a fault is that of a street which may be another one. */
function isOfStreet({ code }: Candidate['faults'][number]): boolean {
  return /^(?:TYPE|DIRECTION)_/.test(code);
}

/** The search for one address. */
class Search {
  readonly #parsed: ParsedAddress;
  readonly #store: GazetteerStore;
  #all: readonly Reading[] | null = null;
  readonly plain: readonly Reading[];

  constructor(parsed: ParsedAddress, store: GazetteerStore) {
    this.#parsed = parsed;
    this.plain = parsed.readings.plain;
    this.#store = store;
  }

  /** Words are turned round only when no street of the place is called as they stand. */
  get all(): readonly Reading[] {
    this.#all ??= this.#namesStreet() ? this.plain : [...this.plain, ...this.#parsed.readings.turned];
    return this.#all;
  }

  asWritten(): Candidate[] {
    const listed = this.plain.filter(({ among }) => among?.isList === true);
    const near = listed.length > 0 ? this.#each(listed, byNeighbourhood, findKnown) : [];
    const found = borneOut([...this.#each(this.plain, byName, findKnown), ...near]);
    const isPlain = (one: Candidate): boolean =>
      !one.reading.needsSuffix && !has(one.faults, 'TYPE_DIFFERS') && !joinsDirection(one);
    if (found.some(isPlain)) this.#all = this.plain;
    return this.all === this.plain ? found : [...found, ...this.known(this.#parsed.readings.turned, byName)];
  }

  #namesStreet(): boolean {
    const { postalCode } = this.#parsed;
    return this.plain.some((reading) => {
      if (reading.needsSuffix) return false;
      const streets = findStreets({ reading, postalCode, link: byName }, this.#store);
      return streets.some(({ street, faults }) => !has(faults, 'TYPE_DIFFERS') && !joinsDirection({ reading, street }));
    });
  }

  known(readings: readonly Reading[], link: MunicipalityLink): Candidate[] {
    return borneOut(this.#each(readings, link, findKnown));
  }

  between(readings: readonly Reading[]): Candidate[] {
    return borneOut(this.#each(readings, byName, findBetween));
  }

  #each(
    readings: readonly Reading[],
    link: MunicipalityLink,
    find: (question: Question, store: GazetteerStore) => Candidate[],
  ): Candidate[] {
    const { postalCode } = this.#parsed;
    const found: Candidate[] = [];
    for (const reading of readings) found.push(...find({ reading, postalCode, link }, this.#store));
    return found;
  }

  /** Returns corrected readings. A name that the municipality has is not misspelt. */
  correctedStreets(readings: readonly Reading[]): Reading[] {
    const { postalCode } = this.#parsed;
    return readings
      .filter((reading) => findStreets({ reading, postalCode, link: byName }, this.#store).length === 0)
      .flatMap((reading) => correctedReadings(reading, this.#store));
  }

  correctedTypes(): Reading[] {
    return this.plain.flatMap((reading) => correctedType(reading, this.#parsed.postalCode, this.#store) ?? []);
  }

  withUnknownPlace(): readonly Reading[] {
    const { postalCode, isPlaced } = this.#parsed;
    if (postalCode === null || isPlaced) return [];
    return readingsBeforeUnknown(this.#parsed, this.#store.municipalityNames);
  }

  withMisspeltPlace(): Candidate[] {
    const { words } = this.#parsed;
    const names = this.#store.municipalityNames;
    const readings = new Readings(cutMisspeltPlaces(words, names), names).plain;
    const known = this.known(readings, byName);
    return known.length > 0 ? known : this.known(this.correctedStreets(readings), byName);
  }

  /** Where a part is left out that nobody knows, the postal code must be the place's own, and nothing else may differ. */
  withoutUnknownPart(): Candidate[] {
    const { postalCode } = this.#parsed;
    if (postalCode === null) return [];
    const found = this.known(readingsWithoutPart(this.#parsed, this.#store.municipalityNames), byName);
    return found.filter(({ point, faults }) => point.postalCode === postalCode && !faults.some(isOfStreet));
  }

  /**
   * Decides: one place is the answer when no other reading places the address elsewhere.
   * @param doubtful places of which the register has the number only; "1914-1910 Bank St" may mean such a number.
   */
  decide(candidates: readonly Candidate[], doubtful: readonly Candidate[]): GeocodeResult {
    const civics = new Set(candidates.map(({ reading }) => reading.civic));
    const others = doubtful.filter(({ reading }) => !civics.has(reading.civic));
    if (others.length > 0 || candidates.some(({ reading }) => reading.isFirstOfTwo)) {
      return { refused: ambiguous([...candidates, ...others].map((place) => suggestion(place, this.#store))) };
    }
    const compared = withoutOtherNumbers(candidates);
    const comparable = equalInUnits(compared);
    const { best, rivals } = choose(comparable, (found) => suggestion(found, this.#store));
    // With the fit that its unit takes from it, which a street without the number is compared with apart from its unit.
    const found = compared[comparable.indexOf(best)]!;
    const missing = this.#missing(found).filter((other) => speaksAgainst(other, found, this.#parsed.postalCode));
    const spreadsM = candidates.map((other) => (isOneOfSeveral(other) ? 0 : spread(best, other)));
    const uncertaintyM = Math.max(best.uncertaintyM, reachM(best, candidates), ...spreadsM);
    if (rivals.length === 0 && missing.length === 0 && uncertaintyM <= SAME_ADDRESS_M) {
      return { found: asGeocode({ ...best, uncertaintyM }, this.#considered(best, candidates), this.#store) };
    }
    const near = missing.flatMap(({ street, neighbours }) => neighbours.map((point) => ({ street, point })));
    const several = candidates.filter(isOneOfSeveral);
    return {
      refused: ambiguous([best, ...rivals, ...several, ...near].map((place) => suggestion(place, this.#store))),
    };
  }

  /** Returns the readings that the register can place, or whose street it has, that of the answer first. */
  #considered(best: Candidate, candidates: readonly Candidate[]): ConsideredReading[] {
    if (this.plain.length === 1 && best.reading === this.plain[0]) return [];
    const { postalCode } = this.#parsed;
    const others = this.all.filter((reading) => reading !== best.reading);
    const readings = [best.reading, ...others].flatMap((reading): ConsideredReading[] => {
      const placed = reading === best.reading ? best : candidates.find((found) => found.reading === reading);
      const hasStreet = placed ?? findStreets({ reading, postalCode, link: byName }, this.#store)[0];
      const address = placed ? suggestion(placed, this.#store) : null;
      return hasStreet === undefined ? [] : [{ read: textOf(reading), address }];
    });
    return readings.slice(0, MOST_READINGS_SHOWN);
  }

  /** Returns the places that the address may mean besides, though the register lacks their number. */
  #missing(best: Candidate): Missing[] {
    const { postalCode } = this.#parsed;
    // Where the register has just what the words say, other streets that they may mean do not count.
    const isExact = fitOfStreet(best) === 1;
    const others = isExact ? this.plain.filter((reading) => reading !== best.reading) : this.all;
    const readings = others.filter((reading) => speaksWhenMissing(reading, best));
    const isBetween = best.accuracy === 'interpolated';
    const missing = readings.flatMap((reading) =>
      findMissing({ reading, postalCode, link: byName }, this.#store, isBetween),
    );
    const unreached = missing.filter((other) => !isReached(other, best));
    return has(best.faults, 'DIRECTION_MISSING') ? [...unreached, ...otherHalves(best, this.#store)] : unreached;
  }
}

/**
 * "East Wood St" for the register's Eastwood St: the first word may as well be the direction of Wood St. A street that the register writes in two words
 * is meant as it stands.
 */
function joinsDirection({ reading: { written, typedStreet }, street }: Pick<Candidate, 'reading' | 'street'>): boolean {
  const [first = ''] = written;
  if (direction(first) === null || first.length === 1 || typedStreet.direction !== null || typedStreet.key === first)
    return false;
  return street.spellings.every(({ name }) => tokenise(name)[0] !== first);
}

/** "unit 29, number 77, ABILENE DR, TORONTO". */
function textOf({ unit, civic, suffix, written, municipalities }: Reading): string {
  const parts = [
    unit === null ? [] : `unit ${unit}`,
    `number ${civic}${suffix ?? ''}`,
    written.join(' '),
    municipalities,
  ];
  return parts.flat().join(', ');
}

/** "3 123 Princess St" is 3123, or 123 with a unit 3 that the register lacks: the unit decides only between units. */
function equalInUnits(candidates: readonly Candidate[]): readonly Candidate[] {
  const isUnit = candidates.map(({ reading }) => reading.unit !== null);
  if (!isUnit.includes(true) || !isUnit.includes(false)) return candidates;
  return candidates.map((found) => ({ ...found, fit: fitOfStreet(found) }));
}

/**
 * A number that the register lacks says nothing where it is one of several and another reading is the answer, or where it would have the
 * number as its unit.
 */
function speaksWhenMissing(reading: Reading, best: Candidate): boolean {
  const { among } = reading;
  if (isExchanged({ reading })) return false;
  return among === null || (among === best.reading.among && !among.isList);
}

/** Metres to another place that answers as well. */
function spread(best: Candidate, other: Candidate): number {
  return other.fit > best.fit - TIE ? Math.round(distanceM(best.point, other.point)) : 0;
}

// Addresses with several numbers before the street: which of the ways to read them the register bears out.

/**
 * Returns the candidates without those numbers of several that the register does not bear out: it must have all of them unless they are a
 * range, and none between those that a hyphen joins.
 */
function borneOut(candidates: readonly Candidate[]): Candidate[] {
  return candidates.filter(({ reading: { among } }) => {
    if (among === null || among.isRange) return true;
    const isComplete = among.numbers.every((number) => candidates.some((other) => isOf(other, among, number)));
    return isComplete && (among.isList || areNext(among, candidates));
  });
}

type AnyNumber = Among['numbers'][number];

function isOf({ reading }: Candidate, among: Among, { civic, suffix }: AnyNumber): boolean {
  return reading.among === among && reading.civic === civic && reading.suffix === suffix;
}

/** Whether none of the streets that have one of the numbers has another between them. A street may go on in the next subdivision. */
function areNext(among: Among, candidates: readonly Candidate[]): boolean {
  const civics = among.numbers.map(({ civic }) => civic);
  const [least, most] = [Math.min(...civics), Math.max(...civics)];
  return candidates.every(({ reading, street }) => reading.among !== among || !hasBetween(street, least, most));
}

function hasBetween(street: Street, least: number, most: number): boolean {
  for (const { civic } of street.from(least + 1)) return civic < most;
  return false;
}

/** Says whether a reading takes one of several numbers. */
function isOneOfSeveral({ reading }: { readonly reading: Reading }): boolean {
  return reading.among !== null;
}

/**
 * Returns what is compared: other readings where there are any, with the places of the same number, otherwise the places of one of the
 * numbers, because the others are within what the answer says (`reachM`). That goes for number and unit exchanged, too: "37-16" next to each
 * other.
 */
function withoutOtherNumbers(candidates: readonly Candidate[]): readonly Candidate[] {
  const several = candidates.filter(isOneOfSeveral);
  if (several.length === 0) return candidates;
  const others = candidates.filter((found) => !isOneOfSeveral(found) && !isExchanged(found));
  const civics = others.length > 0 ? others.map(({ reading }) => reading.civic) : [best(several).reading.civic];
  return [...others, ...several.filter(({ reading }) => civics.includes(reading.civic))];
}

/** Says whether a reading takes the second of two numbers as the unit of the first. */
function isExchanged({ reading }: { readonly reading: Reading }): boolean {
  return reading.faults.some(({ code }) => code === 'UNIT_BEHIND');
}

function best(candidates: readonly Candidate[]): Candidate {
  return candidates.reduce((a, b) => (b.score > a.score ? b : a));
}

/** Metres from the answer to the farthest of several numbers, those too that the register lacks; 0 where the text has one. */
function reachM(answer: Candidate, candidates: readonly Candidate[]): number {
  let mostM = 0;
  if (!candidates.some(isOneOfSeveral)) return mostM;
  const amongs = new Set(candidates.flatMap(({ reading: { among } }) => among ?? []));
  for (const among of amongs) {
    for (const number of among.numbers) {
      const known = candidates.filter((found) => isOf(found, among, number));
      const least = known.map((found) => distanceM(answer.point, found.point) + extraM(found));
      // Where another reading is the answer, a missing number is the unit.
      if (least.length > 0) mostM = Math.max(mostM, Math.min(...least));
      else if (answer.reading.among !== null) mostM = Math.max(mostM, missingM(answer, number.civic));
    }
  }
  return Math.ceil(mostM);
}

/** Says whether a missing number is one of those on the answer's own street, which its uncertainty reaches. */
function isReached({ reading, street }: Missing, { reading: { among }, street: own }: Candidate): boolean {
  if (among === null || !among.numbers.some(({ civic }) => civic === reading.civic)) return false;
  const isSame = street.key === own.key && street.csd === own.csd && street.mail === own.mail;
  return isSame && street.type === own.type && street.direction === own.direction;
}

/** How far a number may be from its point: of one that was placed, or has several points. */
function extraM({ accuracy, uncertaintyM }: Candidate): number {
  const ownM = accuracy === 'interpolated' ? 0 : registerUncertaintyM[accuracy];
  return uncertaintyM > ownM ? uncertaintyM : 0;
}

/** A number that the street lacks lies between its neighbours, on a road that may bend. Behind the end of the known numbers it may be anywhere. */
function missingM({ street, point, uncertaintyM }: Candidate, civic: number): number {
  const neighbours = neighboursOf(street, civic);
  if (neighbours.length < 2) return Infinity;
  return uncertaintyM + DETOUR * Math.max(...neighbours.map((other) => distanceM(other, point)));
}
