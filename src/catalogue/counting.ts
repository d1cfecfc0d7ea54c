/** Which features of a source count for the answers, by the rules of a definition (`counts`). */
import type { CountingRule, FieldFilter } from './fields.ts';

/** What a feature is to the answers: it counts, it does not, only the evidence tells of it, or nobody knows. */
export type Standing = 'yes' | 'no' | 'shown' | 'unclear';

const UNCLEAR = { standing: 'unclear', field: null } as const;
const COUNTS = { standing: 'yes', field: null } as const;

/**
 * Judges a feature by the first rule that lists its value. Without rules every feature counts. Calls `onUnknown` for words that have no meaning to
 * the rules up to that one.
 */
export function judge(
  rules: readonly CountingRule[],
  valueOf: (field: string) => unknown,
  onUnknown: (field: string, word: string) => void = () => undefined,
): {
  readonly standing: Standing;
  /** The field that decided; null where none did. */
  readonly field: string | null;
} {
  for (const rule of rules) {
    const { field, others } = rule;
    const word = wordOf(valueOf(field));
    const standing = standings.find((one) => rule[one]?.includes(word));
    if (standing !== undefined) return { standing, field };
    if (rule.open?.includes(word)) continue;
    if (others === 'yes' || others === 'no') return { standing: others, field };
    if (others !== 'next' && word !== '') onUnknown(field, word);
    if (others === 'unclear') return UNCLEAR;
  }
  return rules.length === 0 ? COUNTS : UNCLEAR;
}

const standings = ['yes', 'no', 'shown'] as const;

/** Returns a value as definitions list it; '' when it is blank or missing. */
export function wordOf(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' ? String(value) : '';
}

/** Identifies rules; undefined when every feature counts. */
export function rulesVersion(rules: readonly CountingRule[] | undefined): string | undefined {
  return rules && JSON.stringify(rules);
}

/**
 * Says whether features that were imported by other rules (`countedBy`) are judged again when they are read. Rules that only leave features out wait for
 * the next import (docs/decisions/0195).
 */
export function isJudgedWhenRead(rules: readonly CountingRule[], countedBy: string | undefined): boolean {
  return countedBy !== rulesVersion(rules) && canStandApart(rules);
}

/** Says whether rules do more than leave features out. */
function canStandApart(rules: readonly CountingRule[]): boolean {
  return (
    rules.at(-1)?.others !== 'yes' || rules.some(({ shown, others }) => shown !== undefined || others === 'unclear')
  );
}

// Words that choose features for an answer: `bandsFor`, `only`, `ignore`.

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
