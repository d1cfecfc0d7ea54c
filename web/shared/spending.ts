/** What a lookup costs and what the key has left, in words beside each button that spends. */
import { fill, money, plural, texts } from './i18n.ts';
import type { PageSettings } from './api.ts';

type Price = PageSettings['price'];
export type Left = { n: number; of: 'hour' | 'month' | 'day' };
/** `price`: null where none is known; then nothing says one. left, rows: lookups, and rows of files; null where that is not known. */
export type Means = { price: Price; left: Left | null; rows: Left | null };

let means: Means = { price: null, left: null, rows: null };

export function setMeans(next: Means) {
  means = next;
  showMeans();
}

export function showMeans() {
  for (const place of document.querySelectorAll('[data-spends]')) place.textContent = spendingWords();
}

/** What a lookup costs, and what is left: `1 lookup · $0.10 · 998 left this hour`. */
export const spendingWords = () => joined([texts.spending.lookup, costOf(1), leftWords(means.left)]);

/** What the rows of a file cost at most, and how many more there may be: `$40.00 · 7,500 rows left today`. */
export const batchWords = (rows: number) => joined([costOf(rows), leftWords(means.rows)]);

/** What the key has left, and what each costs; null where nothing is known of it. */
export function keyWords() {
  const amount = costOf(1);
  const each = amount && fill(texts.spending.each, { amount });
  return means.left && joined([leftWords(means.left), each]);
}

const joined = (parts: (string | null)[]) => parts.filter((part) => part !== null).join(' · ');

const costOf = (lookups: number) => means.price && money(means.price.amount * lookups, means.price.currency);

const leftWords = (left: Left | null) => left && plural(left.n, texts.spending.left[left.of]);

/** What stands after the words "Get a key"; the service writes the same into the page. */
export const priceWords = (price: Price) =>
  price ? fill(texts.page.perLookup, { amount: money(price.amount, price.currency) }) : '';
