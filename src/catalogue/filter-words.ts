/** Words that choose features for an answer: `bandsFor`, `only`, `ignore`. */
import type { FieldFilter } from './fields.ts';

/** Between a name in English and the same in French: federal data have "Lake Ontario / lac Ontario". */
const BETWEEN_LANGUAGES = ' / ';

/** Returns the word of a filter that a value is, as a whole or before the name in another language; null when it is none. */
export function wordIn(value: unknown, words: readonly string[]): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text = String(value);
  if (words.includes(text)) return text;
  const end = text.indexOf(BETWEEN_LANGUAGES);
  const first = end < 0 ? text.trim() : text.slice(0, end).trim();
  return words.includes(first) ? first : null;
}

/** Field -> all words that filters list. */
export function wordsOfFilters(filters: readonly FieldFilter[]): Readonly<Record<string, readonly string[]>> {
  const words: Record<string, readonly string[]> = {};
  for (const { field, values } of filters) words[field] = [...new Set([...(words[field] ?? []), ...values])];
  return words;
}
