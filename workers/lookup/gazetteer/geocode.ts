import { alternativeReadings, cutUnknownMunicipality } from '../../../src/shared/addresses/alternatives.ts';
import { choose, SAME_ADDRESS_M } from '../../../src/shared/addresses/choose.ts';
import { cutMisspeltMunicipality } from '../../../src/shared/addresses/municipality-cut.ts';
import { ambiguous, parseAddress, plainReadings, type ParsedAddress } from '../../../src/shared/addresses/parse.ts';
import type { Reading } from '../../../src/shared/addresses/reading.ts';
import type { GeocodeResult } from '../../../src/shared/contract/geocode.ts';
import { asGeocode, suggestion, type Candidate } from './candidate.ts';
import { correctedReadings } from './corrected-names.ts';
import { findBetween, findKnown, findStreets, isAcceptable, type Question } from './match.ts';
import { byName, byNeighbourhood, byPostalCode, type MunicipalityLink } from './municipality-link.ts';
import { refuse } from './refuse.ts';
import type { GazetteerStore } from './store.ts';

/**
 * Finds the civic point of an address, or says why not. It tries one way after another, the safest first. The first way
 * that finds anything decides; later ways would find places with less evidence.
 */
export function geocode(address: string, store: GazetteerStore): GeocodeResult {
  const parsed = parseAddress(address, store.municipalityNames);
  if ('reason' in parsed) return { refused: parsed };
  const search = new Search(parsed, store);
  const nearMisses: Candidate[] = [];
  for (const look of ways) {
    const candidates = look(search);
    const accepted = candidates.filter((found) => isAcceptable(found, parsed.postalCode));
    if (accepted.length > 0) return decide(accepted, store);
    nearMisses.push(...candidates);
    // If the register has the number but contradicts its position, no other way may place it.
    if (candidates.some(isDoubtful)) break;
  }
  return { refused: refuse(parsed, { readings: search.readings, nearMisses }, store) };
}

/** Ways of searching, in their order. */
const ways: readonly ((search: Search) => Candidate[])[] = [
  (search) => search.known(search.plain, byName),
  (search) => search.known(search.readings, byName),
  (search) => search.known(search.readings, byNeighbourhood),
  (search) => search.known([...search.readings, ...search.withUnknownMunicipality()], byPostalCode),
  (search) => search.between(search.readings),
  (search) => search.known(search.correctedStreets(search.plain), byName),
  (search) => search.withMisspeltMunicipality(),
];

/** The search for one address. */
class Search {
  readonly #parsed: ParsedAddress;
  readonly #store: GazetteerStore;
  readonly plain: readonly Reading[];
  #alternatives: readonly Reading[] | null = null;

  constructor(parsed: ParsedAddress, store: GazetteerStore) {
    this.#parsed = parsed;
    this.#store = store;
    this.plain = plainReadings(parsed.cuts);
  }

  /** Returns the plain readings, then the less likely ones. */
  get readings(): readonly Reading[] {
    this.#alternatives ??= this.#parsed.cuts.flatMap(alternativeReadings);
    return [...this.plain, ...this.#alternatives];
  }

  known(readings: readonly Reading[], link: MunicipalityLink): Candidate[] {
    return this.#each(readings, link, findKnown);
  }

  between(readings: readonly Reading[]): Candidate[] {
    return this.#each(readings, byName, findBetween);
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

  withUnknownMunicipality(): Reading[] {
    if (this.#parsed.postalCode === null) return [];
    const unknown = this.#parsed.cuts.filter(({ municipalities }) => municipalities.length === 0);
    return plainReadings(unknown.flatMap(cutUnknownMunicipality).map(({ cut }) => cut));
  }

  withMisspeltMunicipality(): Candidate[] {
    const readings = plainReadings(cutMisspeltMunicipality(this.#parsed.words, this.#store.municipalityNames));
    const known = this.known(readings, byName);
    return known.length > 0 ? known : this.known(this.correctedStreets(readings), byName);
  }
}

function isDoubtful({ faults }: Candidate): boolean {
  return faults.some(({ code }) => code === 'POSITION_DOUBTFUL');
}

/** Decides: one place is the answer, several equally good ones are refused. */
function decide(candidates: readonly Candidate[], store: GazetteerStore): GeocodeResult {
  const { best, rivals } = choose(candidates, (found) => suggestion(found, store));
  if (rivals.length === 0 && best.uncertaintyM <= SAME_ADDRESS_M) return { found: asGeocode(best, store) };
  return { refused: ambiguous([best, ...rivals].map((found) => suggestion(found, store))) };
}
