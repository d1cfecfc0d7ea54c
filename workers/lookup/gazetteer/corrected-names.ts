import { direction } from '../../../src/shared/addresses/directions.ts';
import { fault } from '../../../src/shared/addresses/faults.ts';
import { isOneEdit } from '../../../src/shared/addresses/one-edit.ts';
import { ordinalNumbers } from '../../../src/shared/addresses/ordinals.ts';
import type { Reading } from '../../../src/shared/addresses/reading.ts';
import { byName } from './municipality-link.ts';
import type { GazetteerStore } from './store.ts';

/** Shortest name that is corrected; shorter ones are one letter away from too many others. */
const SHORTEST_CORRECTED = 3;

/** Length up to which a correction costs more. */
const SHORT_NAME = 5;

/**
 * Returns the reading with its street name corrected to each name of the municipality that is one letter away. Names
 * with a number are never corrected: 5W is not 5E. Neither are those with a direction in front: "E MAIN" is not a
 * misspelt "MAIN". A short name that streets elsewhere have is that name: Dale is not Daly.
 */
export function correctedReadings(reading: Reading, store: GazetteerStore): Reading[] {
  const { key } = reading.typedStreet;
  if (key.length < SHORTEST_CORRECTED || /\d/.test(key) || direction(reading.written[0]!) !== null) return [];
  if (key.length <= SHORT_NAME && store.csdsWith(key).length > 0) return [];
  const near = new Set<string>();
  for (const [word, number] of ordinalNumbers) if (isOneEdit(key, word)) near.add(String(number));
  for (const csd of byName.csds(reading, null, store)) {
    for (const name of store.spellingsNear(csd, key)) near.add(name);
  }
  return [...near].map((name) => ({
    ...reading,
    typedStreet: { ...reading.typedStreet, key: name },
    faults: [
      ...reading.faults,
      fault(key.length <= SHORT_NAME ? 'SHORT_STREET_CORRECTED' : 'STREET_CORRECTED', `${key} read as ${name}`),
    ],
  }));
}
