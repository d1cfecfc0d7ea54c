/**
 * Version of everything that decides how a street or municipality is keyed (this file, the vocabularies, `street-name.ts`,
 * `municipality-name.ts`), and of the form of the gazetteer's rows. A gazetteer written with another version is refused: its keys would silently not match.
 */
export const normaliserVersion = 3;

/** Letters that Unicode does not decompose into a base letter and a mark. */
const undecomposed: Readonly<Record<string, string>> = { Æ: 'AE', Œ: 'OE', Ø: 'O', Ð: 'D', Þ: 'TH', Ł: 'L', Đ: 'D' };

const fractions: Readonly<Record<string, string>> = { '½': ' 1/2', '¼': ' 1/4', '¾': ' 3/4', '⅓': ' 1/3', '⅔': ' 2/3' };

/** A fraction, a word or number, a unit sign, or a hyphen. Everything else only separates. */
const tokenPattern = /(?<!\d)[1-7]\/[2-8](?!\d)|[\p{L}\p{N}]+|#|-/gu;

/**
 * Address text as upper-case words without accents, in one form whatever the writer's case, accents, spacing and punctuation:
 * periods and apostrophes vanish, `&` reads AND, `@` reads AT, and a hyphen is a word of its own before a number only
 * (`302-1055` is unit and civic number, `Bel-Air` is two words).
 */
export function tokenise(text: string): string[] {
  const tokens = foldCharacters(text).match(tokenPattern) ?? [];
  return tokens.filter((token, i) => token !== '-' || (i > 0 && /^\d/.test(tokens[i + 1] ?? '')));
}

/** Signs that fold to themselves: what most addresses are made of. */
const plainText = /^[A-Za-z0-9 ,#-]*$/;

function foldCharacters(text: string): string {
  if (plainText.test(text)) return text.toUpperCase();
  return (
    text
      .replace(/[½¼¾⅓⅔]/g, (sign) => fractions[sign] ?? sign)
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toUpperCase()
      .replace(/[ÆŒØÐÞŁĐ]/g, (letter) => undecomposed[letter] ?? letter)
      .replace(/['’‘`´ʼʹ′]/g, '')
      // "ST.CLAIR" and "AVE.W" are two words, "P.O." and "S.E." are one.
      .replace(/(?<=[\p{L}\p{N}]{2})\.(?=[\p{L}\p{N}])/gu, ' ')
      .replace(/\./g, '')
      .replace(/[‐‑‒–—―−]/g, '-')
      .replace(/⁄/g, '/')
      .replace(/&/g, ' AND ')
      .replace(/@/g, ' AT ')
  );
}
