/** The parts of an address that someone is still typing. */
import { parseCivic } from './parse-civic.ts';
import { tokenise } from './tokens.ts';
import { isDesignator } from './units.ts';

/** What was typed, as far as it can be split without knowing the streets. */
export interface TypedAddress {
  readonly unit: string | null;
  /** Null: a street or a municipality is being typed. */
  readonly civic: number | null;
  readonly suffix: string | null;
  /** All words behind the civic number, without unit and postal code. The last one may be incomplete. */
  readonly words: readonly string[];
  /** Beginning of a postal code; null when none was typed. */
  readonly postalCode: string | null;
}

/** Longer texts are cut, so that none costs much. No address has so many words. */
const MOST_WORDS = 16;

/** Stands for the street that is not there yet: `parseCivic` wants one. */
const PLACEHOLDER = 'QQQQ';

/**
 * Reads a text as the beginning of an address, in the ways that it allows, the likeliest first: with a civic number,
 * then as a street or municipality alone.
 */
export function parseTyped(text: string): TypedAddress[] {
  const { words, postalCode } = cutPostalCode(tokenise(text).slice(0, MOST_WORDS));
  const typed: TypedAddress[] = [];
  const civic = parseCivic(words) ?? parseCivic([...words, PLACEHOLDER]);
  if (civic !== null) {
    const streetWords = namesOf(civic.streetWords.filter((word) => word !== PLACEHOLDER));
    typed.push({ ...civic, words: streetWords, postalCode });
    const [letter = '', ...rest] = streetWords;
    // "123 A Main"
    if (civic.suffix === null && rest.length > 0 && /^[A-Z]$/.test(letter)) {
      typed.push({ ...civic, suffix: letter, words: rest, postalCode });
    }
    // "12 Main St apt": the unit follows.
    if (isDesignator(streetWords.at(-1) ?? '')) typed.push({ ...civic, words: streetWords.slice(0, -1), postalCode });
  }
  typed.push({ unit: null, civic: null, suffix: null, words: namesOf(words), postalCode });
  return typed;
}

function namesOf(words: readonly string[]): string[] {
  return words.filter((word) => word !== '-' && word !== '#');
}

const firstHalf = /^[KLMNP]\d[A-Z]$/;
const secondHalf = /^\d(?:[A-Z]\d?)?$/;
const beginning = /^[KLMNP]\d(?:[A-Z](?:\d(?:[A-Z]\d?)?)?)?$/;

/** Takes the beginning of a postal code of Ontario off the end: "K7", "K7L 1A", "K7L1A1". */
function cutPostalCode(words: readonly string[]): { words: readonly string[]; postalCode: string | null } {
  const end = /^CAN(?:A(?:D(?:A)?)?)?$/.test(words.at(-1) ?? '') ? -1 : words.length;
  const before = words.slice(0, end);
  const [area = '', last = ''] = before.slice(-2);
  if (before.length > 1 && firstHalf.test(area) && secondHalf.test(last)) {
    return { words: before.slice(0, -2), postalCode: area + last };
  }
  const code = before.at(-1) ?? '';
  // A single letter is a postal code only behind the province.
  const isBehindProvince = /^(?:ON|ONT|ONTARIO)$/.test(area) && /^[KLMNP]$/.test(code);
  return isBehindProvince || beginning.test(code)
    ? { words: before.slice(0, -1), postalCode: code }
    : { words, postalCode: null };
}
