/**
 * Version of the code that decides the key of a street or municipality (this file, the vocabularies, `street-name.ts`,
 * `municipality-name.ts`), and of the format of the gazetteer's rows. A program refuses a gazetteer of another version,
 * because its keys would silently not match.
 */
export const normaliserVersion = 4;

/**
 * Versions whose gazetteers are still read. Version 3 differs in numbers with the letter E alone: a road that the
 * register calls "8E" is not found in such a gazetteer, and no other road is found in its place.
 */
export const readableNormalisers: readonly number[] = [3, normaliserVersion];

/** Letters that Unicode does not decompose into a base letter and a mark. */
const undecomposed: Readonly<Record<string, string>> = { Æ: 'AE', Œ: 'OE', Ø: 'O', Ð: 'D', Þ: 'TH', Ł: 'L', Đ: 'D' };

/** A fraction, a word or number, a unit sign, or a hyphen. All other characters are separators. */
const tokenPattern = /(?<!\d)[1-7]\/[2-8](?!\d)|[\p{L}\p{N}]+|#|-/gu;

/**
 * Returns the text of an address as upper-case words without accents. Case, accents, spacing and punctuation of the
 * writer make no difference: periods and apostrophes are removed, `&` reads AND, `@` reads AT, and a hyphen is a word
 * of its own before a number only (`302-1055` is unit and civic number, `Bel-Air` is two words).
 */
export function tokenise(text: string): string[] {
  return tokensOf(foldCharacters(text));
}

/** Does the same with a text that `foldCharacters` has folded. */
export function tokensOf(folded: string): string[] {
  const tokens: string[] = folded.match(tokenPattern) ?? [];
  if (!tokens.includes('-')) return tokens;
  return tokens.filter((token, i) => token !== '-' || (i > 0 && /^\d/.test(tokens[i + 1] ?? '')));
}

/** Most addresses have only these characters, which folding does not change. */
const plainText = /^[A-Za-z0-9 ,#-]*$/;

/** Returns a text in capitals without accents; commas, brackets and ends of lines stay. */
export function foldCharacters(text: string): string {
  if (plainText.test(text)) return text.toUpperCase();
  return (
    text
      // Characters without a shape: soft hyphens, zero-width spaces, marks of the writing direction.
      .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
      .replace(/(?![0-9])\p{Nd}/gu, digitOf)
      // "½" becomes 1⁄2 below.
      .replace(/(?=[\u00bc-\u00be\u2150-\u215e])/g, ' ')
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toUpperCase()
      .replace(/[ÆŒØÐÞŁĐ]/g, (letter) => undecomposed[letter] ?? letter)
      .replace(/['’‘`´ʼʹ′]/g, '')
      // "ST.CLAIR" and "AVE.W" are two words, "P.O." and "S.E." are one.
      .replace(/(?<=[\p{L}\p{N}]{2})\.(?=\p{L})/gu, ' ')
      // "1.050" is a number with its thousands marked, "4.5" is two numbers.
      .replace(/(?<=\d)\.(?=\d{3}(?!\d))/g, '')
      .replace(/(?<=\d)\.(?=\d)/g, ' ')
      .replace(/\./g, '')
      .replace(/[‐‑‒–—―−]/g, '-')
      .replace(/⁄/g, '/')
      // "845/847" is written for "845-847"; a fraction has single digits.
      .replace(/(?<=\d) ?\/ ?(?=\d\d)/g, '-')
      .replace(/&/g, ' AND ')
      .replace(/@/g, ' AT ')
  );
}

/** The digit 0 to 9 for a digit of another script: each script has its ten digits in a row. */
function digitOf(sign: string): string {
  const code = sign.codePointAt(0)!;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value);
}
