import type { Language } from './session.ts';
import type { en } from '../texts/en.ts';
import { fill } from '../../src/messages/findings/fill.ts';
import type { Speech } from '../../src/messages/findings/speech.ts';

export { fill };

export type Texts = typeof en;

const loaded: Map<Language, Texts> = new Map();

/** Fetches the page's texts in a language. The other one is fetched when somebody asks for it. */
export async function loadTexts(language: Language) {
  if (loaded.has(language)) return;
  const texts = language === 'fr' ? (await import('../texts/fr.ts')).fr : (await import('../texts/en.ts')).en;
  loaded.set(language, texts);
}

/** The page's texts in a language that is loaded. */
export const textsIn = (language: Language) => loaded.get(language) as Texts;

/** How findings are said in a language that is loaded. */
export const speechOf = (language: Language): Speech => ({
  ...{ language, words: textsIn(language).findings },
  metres: (distanceM) => metres(language, distanceM),
  percent: (share) => (share > 0 && share < 0.001 ? textsIn(language).area.tiny : percent(language, share)),
});

/** Writes the texts of a language into the page's fixed parts. `values`: of the `{name}` places in them. `texts`: of another page than the first. */
export function translatePage(
  language: Language,
  values: Record<string, string | number>,
  texts: Record<string, unknown> = textsIn(language).page,
) {
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

/** A text that stands there already is left alone: it would count as painted anew. */
function setText(element: Element, text: string) {
  if (element.textContent.replace(/\s+/g, ' ').trim() !== text) element.textContent = text;
}

/** Formatters cost a hundred times what formatting does, so each is made once. */
function perLanguage<Formatter>(make: (locale: string) => Formatter): (language: Language) => Formatter {
  const made: Partial<Record<Language, Formatter>> = {};
  return (language) => (made[language] ??= make(`${language}-CA`));
}

const FIVE_DIGITS = { minimumFractionDigits: 5, maximumFractionDigits: 5 };

const distances = perLanguage((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }));
const areas = perLanguage((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }));
const percents = perLanguage((locale) => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }));
const degrees = perLanguage((locale) => new Intl.NumberFormat(locale, FIVE_DIGITS));
const moments = perLanguage((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' }));
const days = perLanguage((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }));

/** A distance as the language writes it, with its unit kept beside it. */
export function metres(language: Language, metres: number) {
  const far = metres >= 1000;
  const value = far ? metres / 1000 : metres < 10 ? Math.round(metres * 10) / 10 : Math.round(metres);
  return `${distances(language).format(value)}\u00a0${far ? 'km' : 'm'}`;
}

/** A number as the language writes it, with at most two decimals. */
export const number = (language: Language, value: number) => areas(language).format(value);

/** An amount as the language writes it, with as many decimals as a small price needs. */
export const money = (language: Language, amount: number, currency: string) =>
  new Intl.NumberFormat(`${language}-CA`, {
    style: 'currency',
    currency,
    maximumFractionDigits: 6,
    minimumFractionDigits: 2,
  }).format(amount);

/** A text that depends on a number; French counts none as one. */
export const plural = (language: Language, n: number, { one, many }: { one: string; many: string }) =>
  fill(n === 1 || (n === 0 && language === 'fr') ? one : many, { n: number(language, n) });

const MS_PER_YEAR = 365.25 * 24 * 3600 * 1000;
/** Data that are younger than this go without a word about their age. */
const OLD_YEARS = 5;

/** How old data are in years, where that is worth a word. `day`: YYYY-MM-DD. */
export function ageOf(language: Language, day: string) {
  const years = Math.floor((Date.now() - Date.parse(day)) / MS_PER_YEAR);
  return years >= OLD_YEARS ? fill(textsIn(language).yearsOld, { n: years }) : null;
}

/** A day of data; the first of January stands for a year of which no more is known. `day`: YYYY-MM-DD. */
export const dayOf = (language: Language, day: string) =>
  day.endsWith('-01-01') ? day.slice(0, 4) : longDay(language, day);

/** `day`: YYYY-MM-DD. */
export const longDay = (language: Language, day: string) => days(language).format(new Date(day));

/** A latitude or longitude to about a metre. */
export const degreesOf = (language: Language, value: number) => degrees(language).format(value);

/** A place as a person reads it. */
export const coordinatesOf = (language: Language, { lat, lon }: { lat: number; lon: number }) =>
  fill(textsIn(language).coordinates, { lat: degreesOf(language, lat), lon: degreesOf(language, -lon) });

/** A share from 0 to 1, in hundredths with one decimal. */
export const percent = (language: Language, share: number) => percents(language).format(share);

/** An area on the ground: in square metres, then hectares, then square kilometres. */
export function groundArea(language: Language, squareMetres: number) {
  if (squareMetres < 10_000) return `${distances(language).format(squareMetres)}\u00a0m²`;
  if (squareMetres < 1_000_000) return `${areas(language).format(squareMetres / 10_000)}\u00a0ha`;
  return `${areas(language).format(squareMetres / 1_000_000)}\u00a0km²`;
}

/** Day and time, in the reader's time zone. */
export const longMoment = (language: Language, moment: Date) => moments(language).format(moment);

/** Makes the formatters before they are needed, one at a time. */
export function prepareFormats(language: Language) {
  for (const formatter of [distances, degrees, moments, days]) requestIdleCallback(() => formatter(language));
}
