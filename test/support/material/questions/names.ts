/**
 * Names as a person compares them. Written for the tests alone: nothing here may come from the geocoder, which would then be compared
 * with itself.
 */

/** Words that mean the same in names. */
const SAME_WORDS: Readonly<Record<string, string>> = { SAINT: 'ST', SAINTE: 'ST', STE: 'ST', MOUNT: 'MT', FORT: 'FT' };

const ORDINAL_WORDS = 'FIRST SECOND THIRD FOURTH FIFTH SIXTH SEVENTH EIGHTH NINTH TENTH ELEVENTH TWELFTH'.split(' ');

const DIRECTIONS = new Set('N S E W O NORTH SOUTH EAST WEST NORD SUD EST OUEST NE NW SE SW'.split(' '));

/** The name without case, accents and punctuation: "St. Catharines" and "SAINT-CATHARINES" are "ST CATHARINES". */
export function folded(name: string): string {
  const letters = name
    .normalize('NFD')
    .replace(/\p{M}|['’.]/gu, '')
    .toUpperCase();
  const words = letters.split(/[^A-Z0-9]+/).filter(Boolean);
  return words.map((word) => SAME_WORDS[word] ?? word).join(' ');
}

/**
 * What a street's name has in common with every name that it may be taken for: "Park", "West Park" and "The Park" are "PARK"; whatever has
 * a number, "5th", "Concession 5" or "Fifth", is "#5".
 */
export function streetKey(name: string): string {
  const all = folded(name).split(' ');
  const words = all.filter((word) => word !== 'THE' && !DIRECTIONS.has(word));
  const number = words.map(numberIn).find((digits) => digits !== null);
  if (number !== undefined) return `#${number}`;
  return (words.length > 0 ? words : all).join('');
}

function numberIn(word: string): string | null {
  const ordinal = ORDINAL_WORDS.indexOf(word);
  return ordinal >= 0 ? String(ordinal + 1) : (/^0*(\d+)/.exec(word)?.[1] ?? null);
}

/** "NIAGARA-ON-THE-LAKE" in the case that people write. */
export function titled(name: string): string {
  return name.toLowerCase().replace(/(?<![\p{L}'’])\p{L}/gu, (letter) => letter.toUpperCase());
}

/** Whether one letter put in, left out, changed, or swapped with its neighbour makes one name the other. */
export function isOneLetterApart(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const [restA, restB] = [a.slice(at), b.slice(at)];
  const isSwapped = restA.slice(2) === restB.slice(2) && restA[0] === restB[1] && restA[1] === restB[0];
  return isSwapped || [0, 1].some((i) => [0, 1].some((j) => i + j > 0 && restA.slice(i) === restB.slice(j)));
}
