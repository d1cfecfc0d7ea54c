import { ordinalNumbers } from '../../../src/addresses/ordinals.ts';
import { foldName, type StreetParts } from '../../../src/addresses/street-name.ts';
import { isNumberedRoadType, spellOut } from '../../../src/addresses/street-types.ts';
import { tokenise } from '../../../src/addresses/tokens.ts';
import type { StreetSpelling } from '../../engine/gazetteer/street-record.ts';

/**
 * Returns the names by which people may begin to type a street, without spaces: its key, its name as the register writes
 * it and with its words spelt out, and for numbered roads the kind of road before the number and the number in words.
 */
export function typedNames({ key, type }: StreetParts, spellings: readonly StreetSpelling[]): string[] {
  const names = new Set([key]);
  for (const { name } of spellings) {
    const words = tokenise(name).filter((word) => word !== '-' && word !== '#');
    names.add(words.join(''));
    names.add(foldName(words));
  }
  if (/^\d{1,3}[A-Z]?$/.test(key)) {
    if (type !== null && isNumberedRoadType(type)) names.add(spellOut(type) + key);
    for (const word of ordinalsOf(Number(key))) names.add(word);
  }
  names.add(key.replace(/^CTYROAD(?=\d)/, 'COUNTYROAD').replace(/^REGROAD(?=\d)/, 'REGIONALROAD'));
  names.delete('');
  return [...names];
}

/** "NINTH" and "9TH". */
function ordinalsOf(number: number): string[] {
  if (!(number > 0)) return [];
  const words = [...ordinalNumbers].filter(([, n]) => n === number).map(([word]) => word);
  return [...words, `${number}${ending(number)}`];
}

function ending(number: number): string {
  if (number % 100 >= 11 && number % 100 <= 13) return 'TH';
  return ['TH', 'ST', 'ND', 'RD'][number % 10] ?? 'TH';
}
