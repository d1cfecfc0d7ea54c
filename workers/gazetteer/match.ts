import { ACCEPTED_SCORE } from '../../src/addresses/faults.ts';
import type { Reading } from '../../src/addresses/parse.ts';
import { candidate, type Candidate } from './candidate.ts';
import { matchCivic } from './civic-match.ts';
import { municipalityFaults } from './municipality-evidence.ts';
import type { GazetteerStore } from './store.ts';
import { streetFaults } from './street-faults.ts';
import type { Street } from './street-record.ts';

/** Expected error of a register point, metres, 90 % of cases (reference: measured against independent sources). */
const BUILDING_UNCERTAINTY_M = 30;
const BLOCKFACE_UNCERTAINTY_M = 176;

/** What looking for one reading gave: places, and the streets of that name when none has the civic number. */
export interface Matches {
  readonly candidates: readonly Candidate[];
  readonly streets: readonly Street[];
}

/** Looks for a reading's street and civic number in the municipalities that it names. */
export function matchReading(reading: Reading, postalCode: string | null, store: GazetteerStore): Matches {
  const streets = streetsNamed(reading, store);
  const candidates = streets.flatMap((street): Candidate[] => {
    const place = municipalityFaults(reading.municipalities, street, store);
    const differences = place && streetFaults(reading.street, street, streets);
    const civic = differences && matchCivic(reading, postalCode, street);
    if (!civic) return [];
    const ownUncertaintyM = civic.point.blockface ? BLOCKFACE_UNCERTAINTY_M : BUILDING_UNCERTAINTY_M;
    const found = candidate({
      reading,
      street,
      point: civic.point,
      accuracy: civic.point.blockface ? 'blockface' : 'building',
      uncertaintyM: Math.max(ownUncertaintyM, Math.round(civic.spreadM)),
      faults: [...place, ...differences, ...civic.faults],
    });
    return found.score >= ACCEPTED_SCORE ? [found] : [];
  });
  return { candidates, streets };
}

/** Streets of the reading's name that lie in one of the municipalities it names. */
function streetsNamed({ street, municipalities }: Reading, store: GazetteerStore): Street[] {
  const [name] = municipalities;
  if (name === undefined) return [];
  const named = new Set(store.municipality(name).map(({ csd }) => csd));
  return store
    .csdsWith(street.key)
    .filter((csd) => named.has(csd))
    .flatMap((csd) => store.streets(street.key, csd))
    .filter((found) => municipalityFaults(municipalities, found, store) !== null);
}
