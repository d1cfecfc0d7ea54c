import { direction } from './directions.ts';
import { fault } from './faults.ts';
import type { Reading } from './reading.ts';
import { otherRoadKeys, parseStreet, type StreetParts } from './street-name.ts';

/** A street as it is read when its words are turned round, with the fault that says how. */
export interface TurnedStreet {
  readonly typedStreet: StreetParts;
  readonly fault: Reading['faults'][number];
}

/** Returns the ways to split the words of a street that turn them round. @param plain the words as they stand. */
export function turnedStreets(words: readonly string[], plain: StreetParts): TurnedStreet[] {
  const found: TurnedStreet[] = [];
  const add = (typedStreet: StreetParts | null, turned: Reading['faults'][number]): void => {
    if (typedStreet && ![plain, ...found.map((other) => other.typedStreet)].some((other) => isSame(other, typedStreet)))
      found.push({ typedStreet, fault: turned });
  };
  if (plain.type !== null)
    add(parseStreet(words, { keepType: true }), fault('TYPE_IN_NAME', 'the last word read as part of the name'));
  for (const turned of turnedDirections(words, plain))
    add(turned, fault('DIRECTION_MOVED', 'the direction stands elsewhere'));
  for (const key of otherRoadKeys(plain.key)) add({ ...plain, key }, fault('ROAD_KIND_DIFFERS', `read as ${key}`));
  return found;
}

function isSame(a: StreetParts, b: StreetParts): boolean {
  return a.key === b.key && a.type === b.type && a.direction === b.direction;
}

/**
 * "W Queen St" for "Queen St W", "Main St E" for "East Main St", "Mitchell South Rd" for "Mitchell Rd S". Never "West Park
 * St" for "Park St W": many towns have both.
 */
function turnedDirections(words: readonly string[], plain: StreetParts): (StreetParts | null)[] {
  if (plain.direction !== null) return [parseStreet(words, { keepDirection: true })];
  const [first = '', ...rest] = words;
  const turned: (StreetParts | null)[] = [];
  if (direction(first) !== null && rest.length > 0) turned.push(parseStreet([...rest, first]));
  const inner = words.findIndex((word, i) => i > 0 && i < words.length - 1 && direction(word) !== null);
  if (inner > 0) turned.push(parseStreet([...words.slice(0, inner), ...words.slice(inner + 1), words[inner]!]));
  return turned;
}
