import { tokenise } from './tokens.ts';

// Maps instead of objects, because V8 interns each word that is used as a property name.
const abbreviations: ReadonlyMap<string, string> = new Map(
  Object.entries({
    SAINT: 'ST',
    SAINTE: 'ST',
    STE: 'ST',
    MOUNT: 'MT',
    FORT: 'FT',
    TOWNSHIP: 'TWP',
  }),
);

const directions: ReadonlyMap<string, string> = new Map(
  Object.entries({ N: 'NORTH', S: 'SOUTH', E: 'EAST', W: 'WEST' }),
);

/** "City of", "Canton de". */
const kinds = new Set('CITY TOWN TOWNSHIP TWP MUNICIPALITY COUNTY VILLAGE VILLE CANTON MUNICIPALITE'.split(' '));

/**
 * Returns the form in which municipality names are compared: "St. Catharines", "Saint-Catharines" and "City of ST
 * CATHARINES" give the same key.
 * @param words tokens of `tokenise`.
 */
export function municipalityKey(words: readonly string[]): string {
  const from = nameStart(words);
  let key = '';
  for (let i = from; i < words.length; i++) {
    const word = words[i]!;
    if (word === '-' || word === '#') continue;
    const direction = i === from && words.length > from + 1 ? directions.get(word) : undefined;
    key += direction ?? abbreviations.get(word) ?? word;
  }
  return key;
}

/** Behind "City of", "Canton de" and "The". */
function nameStart(words: readonly string[]): number {
  const [first = '', second = ''] = words;
  const at = kinds.has(first) && /^(?:OF|DE|D)$/.test(second) ? 2 : 0;
  return words[at] === 'THE' && words.length > at + 1 ? at + 1 : at;
}

/**
 * Returns the keys of all names in a register's municipality column: both languages of "Greater Sudbury / Grand
 * Sudbury".
 */
export function municipalityKeys(column: string): string[] {
  const names = column.split(' / ').map((name) =>
    name
      .replace(/\(.*\)/, '')
      .replace(/,? Unorganized.*/i, '')
      .trim(),
  );
  return names.map((name) => municipalityKey(tokenise(name))).filter(Boolean);
}
