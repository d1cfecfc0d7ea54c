/** Pages in HTML: small ones without a program, and what those of `web/` have in common. Both are in the language that a visitor reads. */
import { contentOf, sendContent } from './content.ts';
import { fileGroups, builtPages } from './file-groups.ts';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Request, RequestHandler, Response } from 'express';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Returns text as it stands in HTML, also in an attribute with double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => entities[sign]!);
}

/** A page without a program, in the style of the documents: the licences, the examples, the errors, a wrong address. All its texts are HTML. */
export function smallPage({
  language,
  title,
  head = '',
  links,
  main,
}: {
  readonly language: PageLanguage;
  readonly title: string;
  /** More lines of the head. */
  readonly head?: string;
  /** Links above the page; none where absent. */
  readonly links?: string;
  readonly main: string;
}): string {
  const { url } = fileGroups().web;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${head}<link rel="icon" href="${url}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${url}/docs.css">
</head>
<body>
${links === undefined ? '' : `<nav class="back" aria-label="Site">${links}</nav>\n`}<main>
${main}
</main>
</body>
</html>
`;
}

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

/** Returns what sends a page in the language of its visitor. `text`: the page, which is made anew where one of its parts is another value than before. */
export function pageInLanguage(
  parts: () => readonly unknown[],
  text: (language: PageLanguage) => string,
): (asked: { readonly req: Request; readonly res: Response }) => Promise<void> {
  const pages = inEachLanguage((language) => contentOf(parts, () => text(language)));
  return ({ req, res }) => {
    res.vary('Accept-Language');
    return sendContent(req, res, pages[languageOf(req)](), { type: 'text/html; charset=utf-8' });
  };
}

/** An answer that anybody may see, told in a few lines. */
export interface BriefAnswer {
  readonly outcome: 'hazard' | 'restriction' | 'close' | 'unknown' | 'clear';
  readonly address: string;
  readonly lines: Readonly<Record<'en' | 'fr', readonly string[]>>;
}

/** What features say of themselves on the page. */
export interface PageFacts {
  /** In the snapshot in service. */
  readonly examples: readonly Pick<BriefAnswer, 'outcome' | 'address'>[];
  /** One of them, for a page on which nobody has asked yet. Null: there is none. */
  readonly brief: BriefAnswer | null;
  /** True when visitors can sign up for a key and open its account. */
  readonly signup: boolean;
  /** Of a lookup with a key that visitors get, in whole units of the currency. Null: none is known. */
  readonly price: { readonly amount: number; readonly currency: string } | null;
  /** Where readers say that a finding is wrong; null: nowhere. */
  readonly feedbackUrl: string | null;
}

/** What one of them says, made anew when one of the values that it is made of is another. */
export interface PageMembers {
  readonly of: readonly unknown[];
  readonly make: () => Partial<PageFacts>;
}

/** The place of a part that pages share: `<!-- part: key-field -->`. */
const PART = /<!-- part: ([\w-]+) -->/g;

/** The start of an element that belongs to features. */
const OF_FEATURES = /<([a-z][\w-]*)\b[^>]*?(\sdata-feature="([^"]*)")[^>]*>/;

/**
 * Returns a page of `web/` with its parts in it, which are files of their own, and with the versioned names of its files. An element with `data-feature="batches maps"`
 * stands in it only where both features are there, and one with `data-feature="!maps"` only where that one is not.
 */
export function webPage(path: string, isThere: (feature: string) => boolean): string {
  const { web } = fileGroups();
  const whole = web.text(path).replaceAll(PART, (_, part: string) => web.text(`/${part}.html`));
  return withFeatures(whole, isThere).replaceAll('"/web/', `"${web.url}/`);
}

function withFeatures(html: string, isThere: (feature: string) => boolean): string {
  let [done, rest] = ['', html];
  for (let found = OF_FEATURES.exec(rest); found !== null; found = OF_FEATURES.exec(rest)) {
    const [start, tag, attribute, names] = found;
    const from = found.index;
    const isWanted = names!
      .split(' ')
      .every((name) => (name.startsWith('!') ? !isThere(name.slice(1)) : isThere(name)));
    done += rest.slice(0, from) + (isWanted ? start.replace(attribute!, '') : '');
    rest = rest.slice(isWanted ? from + start.length : endOf(rest, from, tag!));
  }
  return done + rest;
}

/** Where the element ends that begins at a place. @throws Error when it does not. */
function endOf(html: string, from: number, tag: string): number {
  const tags = new RegExp(`<(/?)${tag}\\b[^>]*>`, 'g');
  tags.lastIndex = from;
  let depth = 0;
  for (let found = tags.exec(html); found !== null; found = tags.exec(html)) {
    depth += found[1] === '' ? 1 : -1;
    if (depth === 0) return tags.lastIndex;
  }
  throw new Error(`a <${tag}> of a page in web/ has no end`);
}

/**
 * Leads a browser with a key in its address to the same address without it, so that the key does not stay in the address bar and in the history.
 * No page of ours makes such an address; a page of an earlier version did, and people try.
 */
export const withoutKey: RequestHandler = (req, res, next) => {
  const query = new URLSearchParams(req.url.split('?').slice(1).join('?'));
  if (!query.has('key')) {
    next();
    return;
  }
  query.delete('key');
  res.setHeader('Cache-Control', 'no-store');
  res.redirect(303, query.size === 0 ? req.path : `${req.path}?${query.toString()}`);
};
