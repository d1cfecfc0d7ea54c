/**
 * @typedef {import('./session.js').Language} Language
 * @typedef {typeof import('../texts/en.js').english} Texts
 */

/** @type {Map<Language, Texts>} */
const loaded = new Map();

/**
 * Fetches the page's texts in a language. The other one is fetched when somebody asks for it.
 * @param {Language} language
 */
export async function loadTexts(language) {
  if (loaded.has(language)) return;
  const texts = language === 'fr' ? (await import('../texts/fr.js')).french : (await import('../texts/en.js')).english;
  loaded.set(language, texts);
}

/**
 * The page's texts in a language that is loaded.
 * @param {Language} language
 */
export const textsIn = (language) => /** @type {Texts} */ (loaded.get(language));

/**
 * Fills `{name}` places of a text.
 * @param {string} text
 * @param {Record<string, string | number>} values
 */
export function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ''));
}

/**
 * Writes the texts of a language into the page's fixed parts.
 * @param {Language} language
 * @param {Record<string, string | number>} values of the `{name}` places in them
 * @param {Record<string, unknown>} [texts] of another page than the first
 */
export function translatePage(language, values, texts = textsIn(language).page) {
  document.documentElement.lang = language;
  document.title = String(texts['title']);
  for (const element of document.querySelectorAll('[data-text]')) {
    const text = texts[element.getAttribute('data-text') ?? ''];
    if (typeof text === 'string') setText(element, fill(text, values));
  }
  const button = document.getElementById('language');
  if (button) {
    button.textContent = language === 'fr' ? 'English' : 'Français';
    button.lang = language === 'fr' ? 'en' : 'fr';
  }
}

/**
 * A text that stands there already is left alone: it would count as painted anew.
 * @param {Element} element
 * @param {string} text
 */
function setText(element, text) {
  if (element.textContent?.replace(/\s+/g, ' ').trim() !== text) element.textContent = text;
}

/**
 * Formatters cost a hundred times what formatting does, so each is made once.
 * @template Formatter
 * @param {(locale: string) => Formatter} make
 * @returns {(language: Language) => Formatter}
 */
function perLanguage(make) {
  /** @type {Partial<Record<Language, Formatter>>} */
  const made = {};
  return (language) => (made[language] ??= make(`${language}-CA`));
}

const FIVE_DIGITS = { minimumFractionDigits: 5, maximumFractionDigits: 5 };

const distances = perLanguage((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }));
const areas = perLanguage((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }));
const percents = perLanguage((locale) => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }));
const degrees = perLanguage((locale) => new Intl.NumberFormat(locale, FIVE_DIGITS));
const moments = perLanguage((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' }));
const days = perLanguage((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }));

/**
 * A distance as the language writes it, with its unit kept beside it.
 * @param {Language} language
 * @param {number} metres
 */
export function metres(language, metres) {
  const far = metres >= 1000;
  const value = far ? metres / 1000 : metres < 10 ? Math.round(metres * 10) / 10 : Math.round(metres);
  return `${distances(language).format(value)}\u00a0${far ? 'km' : 'm'}`;
}

/**
 * A number as the language writes it, with at most two decimals.
 * @param {Language} language
 * @param {number} value
 */
export const number = (language, value) => areas(language).format(value);

/**
 * An amount as the language writes it, with as many decimals as a small price needs.
 * @param {Language} language
 * @param {number} amount
 * @param {string} currency
 */
export const money = (language, amount, currency) =>
  new Intl.NumberFormat(`${language}-CA`, {
    style: 'currency',
    currency,
    maximumFractionDigits: 6,
    minimumFractionDigits: 2,
  }).format(amount);

/**
 * A text that depends on a number; French counts none as one.
 * @param {Language} language
 * @param {number} n
 * @param {{ one: string, many: string }} texts
 */
export const plural = (language, n, { one, many }) =>
  fill(n === 1 || (n === 0 && language === 'fr') ? one : many, { n: number(language, n) });

const MS_PER_YEAR = 365.25 * 24 * 3600 * 1000;
/** Data that are younger than this go without a word about their age. */
const OLD_YEARS = 5;

/**
 * How old data are in years, where that is worth a word.
 * @param {Language} language
 * @param {string} day YYYY-MM-DD
 */
export function ageOf(language, day) {
  const years = Math.floor((Date.now() - Date.parse(day)) / MS_PER_YEAR);
  return years >= OLD_YEARS ? fill(textsIn(language).yearsOld, { n: years }) : null;
}

/**
 * A day of data; the first of January stands for a year of which no more is known.
 * @param {Language} language
 * @param {string} day YYYY-MM-DD
 */
export const dayOf = (language, day) => (day.endsWith('-01-01') ? day.slice(0, 4) : longDay(language, day));

/**
 * @param {Language} language
 * @param {string} day YYYY-MM-DD
 */
export const longDay = (language, day) => days(language).format(new Date(day));

/**
 * A latitude or longitude to about a metre.
 * @param {Language} language
 * @param {number} value
 */
export const degreesOf = (language, value) => degrees(language).format(value);

/**
 * A place as a person reads it.
 * @param {Language} language
 * @param {{ lat: number, lon: number }} place
 */
export const coordinatesOf = (language, { lat, lon }) =>
  fill(textsIn(language).coordinates, { lat: degreesOf(language, lat), lon: degreesOf(language, -lon) });

/**
 * A share from 0 to 1, in hundredths with one decimal.
 * @param {Language} language
 * @param {number} share
 */
export const percent = (language, share) => percents(language).format(share);

/**
 * An area on the ground: in square metres, then hectares, then square kilometres.
 * @param {Language} language
 * @param {number} squareMetres
 */
export function groundArea(language, squareMetres) {
  if (squareMetres < 10_000) return `${distances(language).format(squareMetres)}\u00a0m²`;
  if (squareMetres < 1_000_000) return `${areas(language).format(squareMetres / 10_000)}\u00a0ha`;
  return `${areas(language).format(squareMetres / 1_000_000)}\u00a0km²`;
}

/**
 * Day and time, in the reader's time zone.
 * @param {Language} language
 * @param {Date} moment
 */
export const longMoment = (language, moment) => moments(language).format(moment);

/**
 * Makes the formatters before they are needed, one at a time.
 * @param {Language} language
 */
export function prepareFormats(language) {
  for (const formatter of [distances, degrees, moments, days]) requestIdleCallback(() => formatter(language));
}
