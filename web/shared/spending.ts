/** What a lookup costs and what the key has left, in words beside each button that spends. */
import { fill, money, plural, textsIn } from './i18n.ts';
import type { Language } from './session.ts';
import type { PageSettings } from './api.ts';

type Price = PageSettings['price'];
export type Left = { n: number; of: 'hour' | 'month' | 'day' };
/** `price`: null where none is known; then nothing says one. left, rows: lookups, and rows of files; null where that is not known. */
export type Means = { price: Price; left: Left | null; rows: Left | null };

let means: Means = { price: null, left: null, rows: null };

export function setMeans(language: Language, next: Means) {
  means = next;
  showMeans(language);
}

export function showMeans(language: Language) {
  for (const place of document.querySelectorAll('[data-spends]')) place.textContent = spendingWords(language);
}

/** What a lookup costs, and what is left: `1 lookup · $0.10 · 998 left this hour`. */
export const spendingWords = (language: Language) =>
  joined([textsIn(language).spending.lookup, costOf(language, 1), leftWords(language, means.left)]);

/** What the rows of a file cost at most, and how many more there may be: `$40.00 · 7,500 rows left today`. */
export const batchWords = (language: Language, rows: number) =>
  joined([costOf(language, rows), leftWords(language, means.rows)]);

/** What the key has left, and what each costs; null where nothing is known of it. */
export function keyWords(language: Language) {
  const amount = costOf(language, 1);
  const each = amount && fill(textsIn(language).spending.each, { amount });
  return means.left && joined([leftWords(language, means.left), each]);
}

const joined = (parts: (string | null)[]) => parts.filter((part) => part !== null).join(' · ');

const costOf = (language: Language, lookups: number) =>
  means.price && money(language, means.price.amount * lookups, means.price.currency);

const leftWords = (language: Language, left: Left | null) =>
  left && plural(language, left.n, textsIn(language).spending.left[left.of]);

/** What stands after the words "Get a key"; the service writes the same into the page. */
export const priceWords = (language: Language, price: Price) =>
  price ? fill(textsIn(language).page.perLookup, { amount: money(language, price.amount, price.currency) }) : '';
