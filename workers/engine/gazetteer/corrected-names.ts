import { direction } from '../../../src/addresses/directions.ts';
import { fault } from '../../../src/addresses/faults.ts';
import { isOneEdit } from '../../../src/addresses/one-edit.ts';
import { ordinalNumbers } from '../../../src/addresses/ordinals.ts';
import type { Reading } from '../../../src/addresses/reading.ts';
import { parseStreet } from '../../../src/addresses/street-name.ts';
import { streetTypesLike } from '../../../src/addresses/street-types.ts';
import { findStreets } from './match.ts';
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
  near.delete(parseStreet(reading.written.filter(isTypingError))?.key ?? '');
  return [...near].map((name) => ({
    ...reading,
    // "V. Order Rd" is Orser Rd only where the register has the number with a V.
    needsSuffix: reading.needsSuffix || reading.faults.some(({ code }) => code === 'SUFFIX_APART'),
    typedStreet: { ...reading.typedStreet, key: name },
    faults: [
      ...reading.faults,
      fault(key.length <= SHORT_NAME ? 'SHORT_STREET_CORRECTED' : 'STREET_CORRECTED', `${key} read as ${name}`),
    ],
  }));
}

/** A direction is no letter too many ("Bridge W St" is not Bridge St), nor is what may be the last digit of the number ("15 O Orser Rd"). */
function isTypingError(word: string, at: number): boolean {
  return word.length > 1 || (direction(word) === null && (at > 0 || !/^[OI]$/.test(word)));
}

/**
 * Returns the reading with a type that was cut off or misspelt ("Stre", "Steet", "Bv") read as the type of the street; null where the
 * municipality has no street of the name, or has it with two types.
 */
export function correctedType(reading: Reading, postalCode: string | null, store: GazetteerStore): Reading | null {
  const { written, typedStreet } = reading;
  const at = direction(written.at(-1)!) === null ? written.length - 1 : written.length - 2;
  if (at < 1 || typedStreet.type !== null) return null;
  const word = written[at]!;
  const types = streetTypesLike(word);
  const named =
    types.length === 0 ? null : parseStreet([...written.slice(0, at), ...written.slice(at + 1)], { keepType: true });
  if (named === null || named.type !== null) return null;
  const streets = findStreets({ reading: { ...reading, typedStreet: named }, postalCode, link: byName }, store);
  const [type = null, ...others] = new Set(streets.map(({ street }) => street.type));
  if (type === null || others.length > 0 || !types.includes(type)) return null;
  const corrected = fault('STREET_CORRECTED', `${word} read as ${type}`);
  return { ...reading, typedStreet: { ...named, type }, faults: [...reading.faults, corrected] };
}
