import { tokenise } from './tokens.ts';

const abbreviations: Readonly<Record<string, string>> = {
  SAINT: 'ST',
  SAINTE: 'ST',
  STE: 'ST',
  MOUNT: 'MT',
  FORT: 'FT',
  TOWNSHIP: 'TWP',
};

const directions: Readonly<Record<string, string>> = { N: 'NORTH', S: 'SOUTH', E: 'EAST', W: 'WEST' };

/**
 * The form in which municipality names are compared: "St. Catharines", "Saint-Catharines" and "City of ST CATHARINES" are one.
 * @param words tokens of `tokenise`.
 */
export function municipalityKey(words: readonly string[]): string {
  const text = words
    .filter((word) => word !== '-' && word !== '#')
    .join(' ')
    .replace(/^(?:CITY|TOWN|TOWNSHIP|TWP|MUNICIPALITY|COUNTY|VILLAGE|VILLE|CANTON|MUNICIPALITE) (?:OF|DE|D) /, '')
    .replace(/^THE (?=.)/, '');
  return text
    .split(' ')
    .map((word, i, all) => abbreviations[word] ?? (i === 0 && all.length > 1 ? (directions[word] ?? word) : word))
    .join('');
}

/** The names that a register's municipality column stands for: both languages of "Greater Sudbury / Grand Sudbury". */
export function municipalityKeys(column: string): string[] {
  const names = column.split(' / ').map((name) =>
    name
      .replace(/\(.*\)/, '')
      .replace(/,? Unorganized.*/i, '')
      .trim(),
  );
  return names.map((name) => municipalityKey(tokenise(name))).filter(Boolean);
}
