/** The language of the page, its texts, and how it writes numbers and dates. */
import { keepLanguage, type Language } from './session.ts';
import type { en } from '../texts/en.ts';
import { fill } from '../../src/features/explain/messages/fill.ts';
import type { Speech } from '../../src/features/explain/messages/speech.ts';

export { fill };

export type Texts = typeof en;

const loaded: Map<Language, Texts> = new Map();

/** What the whole page is in. */
export let language: Language = 'en';

/** The texts of the first page in the language. */
export let texts: Texts;

/** Fetches the page's texts in a language. The other one is fetched when somebody asks for it. */
export async function loadTexts(chosen: Language) {
  if (loaded.has(chosen)) return;
  loaded.set(chosen, chosen === 'fr' ? (await import('../texts/fr.ts')).fr : (await import('../texts/en.ts')).en);
}

/** Chooses the language. Its texts are loaded, unless the page has others. */
export function speak(chosen: Language) {
  language = chosen;
  texts = loaded.get(chosen) as Texts;
}

/** Makes the button of the other language work. `translate`: writes everything that stands on the page. `fail`: says that the texts cannot be had. */
export function offerLanguage(translate: () => void, fail: () => void, load = loadTexts) {
  document.getElementById('language')?.addEventListener('click', () => {
    const chosen = otherLanguage();
    load(chosen).then(() => {
      speak(chosen);
      keepLanguage(chosen);
      translate();
    }, fail);
  });
}

const otherLanguage = () => (language === 'fr' ? 'en' : 'fr');

/** How findings are said in the language. */
export const speech = (): Speech => ({
  language,
  words: texts.findings,
  metres,
  percent: (share) => (share > 0 && share < 0.001 ? texts.area.tiny : percent(share)),
});

/** Writes the texts into the page's fixed parts. `values`: of the `{name}` places in them. `own`: of another page than the first. */
export function translatePage(values: Record<string, string | number>, own: Record<string, unknown> = texts.page) {
  document.documentElement.lang = language;
  document.title = String(own['title']);
  for (const element of document.querySelectorAll('[data-text]')) {
    const text = own[element.getAttribute('data-text') ?? ''];
    if (typeof text === 'string') setText(element, fill(text, values));
  }
  const button = document.getElementById('language');
  if (button) Object.assign(button, { textContent: language === 'fr' ? 'English' : 'Français', lang: otherLanguage() });
}

/** A text that stands there already is left alone: it would count as painted anew. */
function setText(element: Element, text: string) {
  if (element.textContent.replace(/\s+/g, ' ').trim() !== text) element.textContent = text;
}

/** Formatters cost a hundred times what formatting does, so each is made once. */
function perLanguage<Formatter>(make: (locale: string) => Formatter): () => Formatter {
  const made: Partial<Record<Language, Formatter>> = {};
  return () => (made[language] ??= make(`${language}-CA`));
}

const FIVE_DIGITS = { minimumFractionDigits: 5, maximumFractionDigits: 5 };

const distances = perLanguage((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }));
const areas = perLanguage((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }));
const percents = perLanguage((locale) => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }));
const degrees = perLanguage((locale) => new Intl.NumberFormat(locale, FIVE_DIGITS));
const moments = perLanguage((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short' }));
const days = perLanguage((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }));

/** A distance as the language writes it, with its unit kept beside it. */
export function metres(metres: number) {
  const far = metres >= 1000;
  const value = far ? metres / 1000 : metres < 10 ? Math.round(metres * 10) / 10 : Math.round(metres);
  return `${distances().format(value)}\u00a0${far ? 'km' : 'm'}`;
}

/** A number as the language writes it, with at most two decimals. */
export const number = (value: number) => areas().format(value);

/** An amount as the language writes it, with as many decimals as a small price needs. */
export const money = (amount: number, currency: string) =>
  new Intl.NumberFormat(`${language}-CA`, {
    style: 'currency',
    currency,
    maximumFractionDigits: 6,
    minimumFractionDigits: 2,
  }).format(amount);

/** A text that depends on a number; French counts none as one. */
export const plural = (n: number, { one, many }: { one: string; many: string }, values: Record<string, string> = {}) =>
  fill(n === 1 || (n === 0 && language === 'fr') ? one : many, { ...values, n: number(n) });

const MS_PER_YEAR = 365.25 * 24 * 3600 * 1000;
/** Data that are younger than this go without a word about their age. */
const OLD_YEARS = 5;

/** How old data are in years, where that is worth a word. `day`: YYYY-MM-DD. */
export function ageOf(day: string) {
  const years = Math.floor((Date.now() - Date.parse(day)) / MS_PER_YEAR);
  return years >= OLD_YEARS ? fill(texts.yearsOld, { n: years }) : null;
}

/** A day of data; the first of January stands for a year of which no more is known. `day`: YYYY-MM-DD. */
export const dayOf = (day: string) => (day.endsWith('-01-01') ? day.slice(0, 4) : longDay(day));

/** `day`: YYYY-MM-DD. */
export const longDay = (day: string) => days().format(new Date(day));

/** A place as a person reads it. */
export const coordinatesOf = ({ lat, lon }: { lat: number; lon: number }) =>
  fill(texts.coordinates, { lat: degrees().format(lat), lon: degrees().format(-lon) });

/** A share from 0 to 1, in hundredths with one decimal. */
export const percent = (share: number) => percents().format(share);

/** An area on the ground: in square metres, then hectares, then square kilometres. */
export function groundArea(squareMetres: number) {
  if (squareMetres < 10_000) return `${distances().format(squareMetres)}\u00a0m²`;
  if (squareMetres < 1_000_000) return `${areas().format(squareMetres / 10_000)}\u00a0ha`;
  return `${areas().format(squareMetres / 1_000_000)}\u00a0km²`;
}

/** Day and time, in the reader's time zone. */
export const longMoment = (moment: Date | number | string) => moments().format(new Date(moment));

/** Makes the formatters before they are needed, one at a time. */
export function prepareFormats() {
  for (const formatter of [distances, degrees, moments, days]) requestIdleCallback(() => void formatter());
}
