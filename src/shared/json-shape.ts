/** What parsing a JSON text costs depends on how much is in it, more than on its length. So that is counted before the text is parsed. */
import type { AppError } from './problems.ts';

/** Most that a text may have. */
export interface JsonShape {
  /** Objects and arrays within each other. */
  readonly levels: number;
  readonly objectsAndArrays: number;
  /** Elements and members, but for the first of each object and array. */
  readonly values: number;
  /** Names of members, and texts. */
  readonly texts: number;
}

export interface ShapeRules {
  readonly most: JsonShape;
  /** The failure of a text that has more. */
  readonly refusal: (beyond: keyof JsonShape) => AppError;
}

/** What a text has too many of. */
export const shapeWords: Readonly<Record<keyof JsonShape, string>> = {
  levels: 'levels',
  objectsAndArrays: 'objects and arrays',
  values: 'values',
  texts: 'names and texts',
};

/** @throws AppError, the rules' own, when a text has more than it may. It need not be JSON: what is none has yet to be parsed to say so. */
export function requireShape(text: string, { most, refusal }: ShapeRules): void {
  const beyond = beyondShape(text, most);
  if (beyond !== null) throw refusal(beyond);
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;

/** Returns what a text has too many of; null: nothing. Looks at each character once. */
export function beyondShape(text: string, most: JsonShape): keyof JsonShape | null {
  let [level, lists, values, texts] = [0, 0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    // Most of an area: digits, points and signs.
    if (character > COMMA && character < BRACKET) continue;
    if (character === COMMA) {
      if (++values > most.values) return 'values';
    } else if (character === QUOTE) {
      if (++texts > most.texts) return 'texts';
      at = endOfText(text, at);
    } else if ((character | 0x20) === 0x7b) {
      // "[" and "{".
      if (++level > most.levels) return 'levels';
      if (++lists > most.objectsAndArrays) return 'objectsAndArrays';
    } else if ((character | 0x20) === 0x7d) {
      // "]" and "}".
      level--;
    }
  }
  return null;
}

/** Returns where the quote is that ends a text, or the end of all. */
function endOfText(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}
