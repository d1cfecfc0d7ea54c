/** Codes and words of source fields: which ones a definition knows, and how often others occur. */
import { wordOf, wordIn } from './counting.ts';
import type { DataSetDefinition } from './definition.ts';
import { catalogueKindOf } from './kinds/kinds.ts';
import { grouped } from '../words.ts';

/** Field -> all words that the definition translates. Fields whose words are served as they are, are not here. */
export type KnownWords = Readonly<Record<string, readonly string[]>>;

/** Field -> word -> number of features. */
export type WordCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Different words that are counted in a field; more means that the field does not hold words. */
const MOST_WORDS = 50;
const LONGEST_WORD = 80;
/** Stands for all words beyond the first. */
const MORE_WORDS = '(more words)';

/** Returns the words that a definition translates by codes. */
export function knownWords({ answers }: Pick<DataSetDefinition, 'answers'>): KnownWords {
  const known: Record<string, readonly string[]> = {};
  for (const answer of answers) {
    for (const { field, codes } of catalogueKindOf(answer).coded?.(answer) ?? [])
      if (codes) known[field] = [...new Set([...(known[field] ?? []), ...Object.keys(codes)])];
  }
  return known;
}

/** Counts the words of features that no definition knows. */
export class WordCounter {
  readonly #fields: readonly { readonly name: string; readonly index: number; readonly known: ReadonlySet<string> }[];
  readonly #known: KnownWords;
  readonly #counts = new Map<string, Map<string, number>>();
  readonly #filters: readonly { readonly name: string; readonly index: number; readonly words: readonly string[] }[];
  readonly #met = new Map<string, Map<string, number>>();

  /** `filters` are the words that choose features for an answer. */
  constructor(columns: readonly { readonly name: string }[], known: KnownWords, filters: KnownWords = {}) {
    const inColumns = (words: KnownWords) =>
      Object.entries(words).flatMap(([name, listed]) => {
        const index = columns.findIndex((column) => column.name === name);
        return index < 0 ? [] : [{ name, index, words: listed }];
      });
    this.#known = known;
    this.#fields = inColumns(known).map(({ name, index, words }) => ({ name, index, known: new Set(words) }));
    this.#filters = inColumns(filters);
  }

  /** Counts the words that the codes do not know, and those of the filters. */
  count(values: readonly unknown[]): void {
    for (const { name, index, known } of this.#fields) {
      const word = wordOf(values[index]);
      if (word !== '' && !known.has(word)) this.#add(name, word);
    }
    for (const { name, index, words } of this.#filters) {
      const word = wordIn(values[index], words);
      if (word !== null) add(this.#met, name, word);
    }
  }

  /** Counts a word that the rules do not know, unless the field's words are counted anyway. */
  readonly addFromRules = (field: string, word: string): void => {
    if (!(field in this.#known)) this.#add(field, word);
  };

  #add(field: string, unbounded: string): void {
    add(this.#counts, field, unbounded.slice(0, LONGEST_WORD));
  }

  get counts(): WordCounts {
    return asRecord(this.#counts);
  }

  /** How many features have each word of the filters; without those that none has. */
  get met(): WordCounts {
    return asRecord(this.#met);
  }
}

type Counted = Map<string, Map<string, number>>;

function add(counts: Counted, field: string, word: string): void {
  let words = counts.get(field);
  if (words === undefined) counts.set(field, (words = new Map<string, number>()));
  const key = words.has(word) || words.size < MOST_WORDS ? word : MORE_WORDS;
  words.set(key, (words.get(key) ?? 0) + 1);
}

function asRecord(counts: Counted): WordCounts {
  return Object.fromEntries([...counts].map(([field, words]) => [field, Object.fromEntries(words)]));
}

/** Returns how many features have each word of the filters, also 0. */
export function allMet(filters: KnownWords, met: WordCounts): WordCounts {
  const counted = Object.entries(filters).map(([field, words]) => [
    field,
    Object.fromEntries(words.map((word) => [word, met[field]?.[word] ?? 0])),
  ]);
  return Object.fromEntries(counted) as WordCounts;
}

/** Adds counts; a field keeps its first words. */
export function addWords(a: WordCounts, b: WordCounts): WordCounts {
  const sum: Record<string, Record<string, number>> = {};
  for (const [field, words] of [a, b].flatMap((counts) => Object.entries(counts))) {
    const own = (sum[field] ??= {});
    for (const [word, count] of Object.entries(words)) {
      const key = word in own || Object.keys(own).length < MOST_WORDS ? word : MORE_WORDS;
      own[key] = (own[key] ?? 0) + count;
    }
  }
  return sum;
}

/** Returns counts as text, the most frequent words first: `ANSI_SIGNIFICANCE "Local" 12`. */
export function wordsText(counts: WordCounts): readonly string[] {
  return Object.entries(counts).flatMap(([field, words]) =>
    Object.entries(words)
      .sort(([, a], [, b]) => b - a)
      .map(([word, count]) => `${field} ${JSON.stringify(word)} ${grouped(count)}`),
  );
}
