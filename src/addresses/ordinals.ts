const units = ['FIRST', 'SECOND', 'THIRD', 'FOURTH', 'FIFTH', 'SIXTH', 'SEVENTH', 'EIGHTH', 'NINTH'];
const teens = [
  'TENTH',
  'ELEVENTH',
  'TWELFTH',
  'THIRTEENTH',
  'FOURTEENTH',
  'FIFTEENTH',
  'SIXTEENTH',
  'SEVENTEENTH',
  'EIGHTEENTH',
  'NINETEENTH',
];
const tens = ['TWENTY', 'THIRTY', 'FORTY', 'FIFTY', 'SIXTY', 'SEVENTY', 'EIGHTY', 'NINETY'];
const french = ['PREMIERE', 'DEUXIEME', 'TROISIEME', 'QUATRIEME', 'CINQUIEME', 'SIXIEME', 'SEPTIEME', 'HUITIEME'];

const byWord = new Map<string, number>([
  ...[...units, ...teens].map((word, i): [string, number] => [word, i + 1]),
  ...tens.map((word, i): [string, number] => [word.replace(/Y$/, 'IETH'), (i + 2) * 10]),
  ...french.map((word, i): [string, number] => [word, i + 1]),
  ['PREMIER', 1],
]);

/** The words of the ordinals up to ninety, with their numbers. */
export const ordinalNumbers: ReadonlyMap<string, number> = byWord;

const cardinals =
  'ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN ELEVEN TWELVE THIRTEEN FOURTEEN FIFTEEN SIXTEEN SEVENTEEN EIGHTEEN NINETEEN'.split(
    ' ',
  );

/** Returns the number from 1 to 99 that the words from a place on say, and of how many words it is; null for others. */
export function cardinalOf(
  words: readonly string[],
  at: number,
): { readonly value: number; readonly length: number } | null {
  const value = cardinals.indexOf(words[at] ?? '') + 1;
  if (value > 0) return { value, length: 1 };
  const ten = tens.indexOf(words[at] ?? '');
  if (ten < 0) return null;
  const unit = cardinals.indexOf(words[at + 1] ?? '') + 1;
  return unit > 0 && unit < 10 ? { value: (ten + 2) * 10 + unit, length: 2 } : { value: (ten + 2) * 10, length: 1 };
}

/** Says whether a word is the ending that a number has as an ordinal: RD of 3, ND of 22. */
export function isOrdinalEnding(word: string, number: string): boolean {
  if (!/^\d{1,3}$/.test(number) || /1\d$/.test(number)) return false;
  return word === { 1: 'ST', 2: 'ND', 3: 'RD' }[number.at(-1)!];
}

/** French types, beside which "5E" is an ordinal; elsewhere E is a direction: "Concession 8E". */
const frenchTypes = new Set('RUE AVENUE AVE AV RANG CHEMIN CH CONCESSION LIGNE ROUTE RTE BOULEVARD BOUL'.split(' '));

/**
 * Replaces every ordinal in the words of a street name by its number: FIRST, 1ST, 1RE and "1 ST" read 1, TWENTY FIRST
 * reads 21. "5E RUE" reads 5, and "8E" elsewhere is number 8 with the direction E.
 */
export function foldOrdinals(words: readonly string[]): string[] {
  const folded: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const first = word.charCodeAt(0);
    if (first >= 48 && first <= 57) {
      folded.push(...foldNumber(word, words[i + 1]));
      if (words[i + 1] === 'TH' && /^\d{1,3}$/.test(word)) i++;
    } else {
      const ten = tens.indexOf(word);
      const unit = ten < 0 ? -1 : units.indexOf(words[i + 1] ?? '');
      if (unit >= 0) i++;
      folded.push(unit >= 0 ? String((ten + 2) * 10 + unit + 1) : String(byWord.get(word) ?? word));
    }
  }
  return folded;
}

/** "1ST", "8E" (which is a number and a direction unless a French type follows). */
function foldNumber(word: string, next = ''): string[] {
  if (/^\d{1,3}E$/.test(word)) return [word.slice(0, -1), ...(frenchTypes.has(next) ? [] : ['E'])];
  return [/^(\d{1,3})(?:ST|ND|RD|TH|RE|ER|EME)$/.exec(word)?.[1] ?? word];
}
