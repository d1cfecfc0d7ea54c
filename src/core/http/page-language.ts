import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Request } from 'express';
import { builtPages } from './built-pages.ts';
import { escapeHtml } from './html.ts';

const pageLanguages = ['en', 'fr'] as const;
export type PageLanguage = (typeof pageLanguages)[number];

/** The part of `web/texts/en.ts` and `web/texts/fr.ts` that stands in the page before its program runs. */
interface Texts {
  readonly page: Readonly<Record<string, unknown>>;
}

const require = createRequire(import.meta.url);
let texts: Readonly<Record<PageLanguage, Texts>> | undefined;

function textsOf(language: PageLanguage): Texts {
  const load = (file: string): unknown => require(join(builtPages(), file));
  texts ??= {
    en: (load('en.js') as { en: Texts }).en,
    fr: (load('fr.js') as { fr: Texts }).fr,
  };
  return texts[language];
}

/** An element whose text depends on the language. It holds no other element. */
const TRANSLATED = /(data-text="(\w+)"[^>]*>)([^<]*)(?=<\/)/g;

/**
 * Writes the texts of a language into the page, as `translatePage` of `web/shared/i18n.ts` does in the browser. It then changes nothing there, so that
 * nothing moves. @throws Error when the language lacks a text.
 */
export function inLanguage(html: string, language: PageLanguage): string {
  const whole = html
    .replace('<title>', () => `<title>${textIn(language, 'title')}`)
    .replace(TRANSLATED, (_, start: string, name: string) => start + textIn(language, name));
  if (language === 'en') return whole;
  return whole
    .replace('<html lang="en">', `<html lang="${language}">`)
    .replace('id="language" lang="fr">Français<', 'id="language" lang="en">English<');
}

/** Returns a text of `page` in a language, as it stands in HTML. @throws Error when the language lacks it. */
export function textIn(language: PageLanguage, name: string): string {
  const text = textsOf(language).page[name];
  if (typeof text !== 'string') throw new Error(`web/texts/${language}.js lacks the text ${name}`);
  return escapeHtml(text);
}

export function inEachLanguage<Made>(make: (language: PageLanguage) => Made): Readonly<Record<PageLanguage, Made>> {
  return { en: make('en'), fr: make('fr') };
}

/** `?lang=`, else what the browser prefers: the rule of `readLanguage` in `web/shared/session.ts`, without the tab's own choice. */
export function languageOf(req: Request): PageLanguage {
  const { lang } = req.query;
  if (typeof lang === 'string') return lang.toLowerCase().startsWith('fr') ? 'fr' : 'en';
  return req.acceptsLanguages(...pageLanguages) === 'fr' ? 'fr' : 'en';
}
