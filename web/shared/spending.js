/** What a lookup costs and what the key has left, in words beside each button that spends. */
import { fill, money, plural, textsIn } from './i18n.js';

/**
 * @typedef {import('./session.js').Language} Language
 * @typedef {import('./api.js').PageSettings['price']} Price
 * @typedef {{ n: number, of: 'hour' | 'month' | 'day' }} Left
 * @typedef {{ price: Price, left: Left | null, rows: Left | null }} Means price: null where none is known; then nothing says one.
 *   left, rows: lookups, and rows of files; null where that is not known
 */

/** @type {Means} */
let means = { price: null, left: null, rows: null };

/**
 * @param {Language} language
 * @param {Means} next
 */
export function setMeans(language, next) {
  means = next;
  showMeans(language);
}

/** @param {Language} language */
export function showMeans(language) {
  for (const place of document.querySelectorAll('[data-spends]')) place.textContent = spendingWords(language);
}

/**
 * What a lookup costs, and what is left: `1 lookup · $0.10 · 998 left this hour`.
 * @param {Language} language
 */
export const spendingWords = (language) =>
  joined([textsIn(language).spending.lookup, costOf(language, 1), leftWords(language, means.left)]);

/**
 * What the rows of a file cost at most, and how many more there may be: `$40.00 · 7,500 rows left today`.
 * @param {Language} language
 * @param {number} rows
 */
export const batchWords = (language, rows) => joined([costOf(language, rows), leftWords(language, means.rows)]);

/**
 * What the key has left, and what each costs; null where nothing is known of it.
 * @param {Language} language
 */
export function keyWords(language) {
  const amount = costOf(language, 1);
  const each = amount && fill(textsIn(language).spending.each, { amount });
  return means.left && joined([leftWords(language, means.left), each]);
}

/** @param {(string | null)[]} parts */
const joined = (parts) => parts.filter((part) => part !== null).join(' · ');

/**
 * @param {Language} language
 * @param {number} lookups
 */
const costOf = (language, lookups) =>
  means.price && money(language, means.price.amount * lookups, means.price.currency);

/**
 * @param {Language} language
 * @param {Left | null} left
 */
const leftWords = (language, left) => left && plural(language, left.n, textsIn(language).spending.left[left.of]);

/**
 * What stands after the words "Get a key"; the service writes the same into the page.
 * @param {Language} language
 * @param {Price} price
 */
export const priceWords = (language, price) =>
  price ? fill(textsIn(language).page.perLookup, { amount: money(language, price.amount, price.currency) }) : '';
