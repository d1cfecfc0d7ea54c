import { createHash } from 'node:crypto';
import { baseMapUrls, type BaseMap, type BaseMapLanguage } from './base-map.ts';
import { contentOf, type Content } from './content.ts';
import { fileGroups } from './file-groups.ts';
import { escapeHtml } from './html.ts';
import { inEachLanguage, inLanguage, textIn, type PageLanguage } from './page-language.ts';
import { webPage } from './web-page.ts';

/** What the page must know before its first answer. It stands in the page itself, which saves a request. */
export interface PageSettings {
  /** Template of the base map's tiles with {z}, {x} and {y}; null: no base map of this kind. */
  readonly tileUrl: string | null;
  readonly tileAttribution: string;
  /** The base map on this machine; it goes before the tiles. */
  readonly baseMap: BaseMap | null;
  /** Addresses whose answers anybody may see, in the snapshot in service. */
  readonly examples: readonly {
    readonly outcome: 'hazard' | 'restriction' | 'close' | 'unknown' | 'clear';
    readonly address: string;
  }[];
  /** Number of layers. */
  readonly layers: number;
  /** True when some of the data is the invented sample. */
  readonly sample: boolean;
  /** True when visitors can sign up for a key and open its account. */
  readonly signup: boolean;
  /** Of a lookup with a key that visitors get, in whole units of the currency. Null: none is known. */
  readonly price: { readonly amount: number; readonly currency: string } | null;
}

/** Settings of the page that a feature adds, made anew when one of the values that they are made of is another. */
export interface PageMembers {
  readonly of: readonly unknown[];
  readonly make: () => Partial<PageSettings>;
}

/** The settings as the page gets them. */
export interface SettingsInPage extends Omit<PageSettings, 'baseMap'> {
  readonly mapLibraryUrl: string;
  readonly baseMap: {
    readonly tilesUrl: string;
    readonly layersUrls: Readonly<Record<BaseMapLanguage, string>>;
    /** Program that reads the tiles. */
    readonly readerUrl: string;
    readonly attribution: string;
  } | null;
}

export interface PageDocument {
  readonly content: (language: PageLanguage) => Content;
  /** Hashes of the style sheet and of the script that stand in the page, for its Content-Security-Policy. */
  readonly styleSources: readonly string[];
  readonly scriptSources: readonly string[];
}

/**
 * Makes the page from `web/index.html`: with the style sheet in it, so that the first paint waits for no other file, and with the script that
 * keeps what is pressed early; with what the snapshot in service decides and in the reader's language, so that nothing moves when the program starts.
 */
export function pageDocument(settings: () => PageSettings): PageDocument {
  const { web } = fileGroups();
  const style = web.text('/style.css');
  const early = web.text('/early.js');
  const template = put(webPage('/index.html'), {
    [`<link rel="stylesheet" href="${web.url}/style.css" />`]: `<style>${style}</style>`,
    [`<script src="${web.url}/early.js"></script>`]: `<script>${early}</script>`,
  });
  const contents = inEachLanguage((language) => {
    const translated = put(inLanguage(template, language), { '<!-- program -->': programIn(language) });
    return contentOf(
      () => [settings()],
      () => fill(translated, settings(), language),
    );
  });
  return {
    content: (language) => contents[language](),
    styleSources: [sourceOf(style)],
    scriptSources: [sourceOf(early)],
  };
}

/** Source that allows a text in the page, by its hash. */
const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Before the style sheet, to be asked for early, and with a low priority: the first paint needs nothing of it. */
function programIn(language: PageLanguage): string {
  const { url } = fileGroups().web;
  return `<script type="module" src="${url}/main.js" fetchpriority="low"></script>
    <link rel="modulepreload" href="${url}/${language}.js" fetchpriority="low" />`;
}

function fill(template: string, settings: PageSettings, language: PageLanguage): string {
  const { examples, layers, sample, signup, baseMap, tileUrl } = settings;
  const buttons = examples.map(({ outcome, address }) => {
    const words = `<span data-text="example_${outcome}">${textIn(language, `example_${outcome}`)}</span>`;
    // Nothing here is outside the province.
    const short = escapeHtml(address.replace(/, ON$/, ''));
    return `<button type="button" class="example" data-outcome="${outcome}">${words} ${short}</button>`;
  });
  const json = JSON.stringify(inPage(settings)).replaceAll('<', '\\u003c');
  return put(template, {
    '{layers}': String(layers),
    '<!-- examples -->': buttons.join(''),
    '<!-- settings -->': `<script type="application/json" id="settings">${json}</script>`,
    ...shownIf('sample', sample),
    '{price}': priceIn(settings, language),
    ...shownIf('getKey', signup),
    ...shownIf('getKeyHere', signup),
    ...shownIf('account', signup),
    ...shownIf('openMap', baseMap !== null || tileUrl !== null),
  });
}

/** What `priceWords` of `web/spending.js` writes there. */
function priceIn({ price }: PageSettings, language: PageLanguage): string {
  if (price === null) return '';
  const { amount, currency } = price;
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 6 };
  const money = new Intl.NumberFormat(`${language}-CA`, { style: 'currency', currency, ...digits }).format(amount);
  return textIn(language, 'perLookup').replace('{amount}', () => escapeHtml(money));
}

/** Takes `hidden` from the element with this text. */
function shownIf(text: string, isShown: boolean): Record<string, string> {
  const hidden = `data-text="${text}" hidden`;
  return { [hidden]: isShown ? `data-text="${text}"` : hidden };
}

/** @throws Error when a place is not in the text: the page and this program belong together. */
function put(text: string, places: Readonly<Record<string, string>>): string {
  return Object.entries(places).reduce((all, [place, value]) => {
    if (!all.includes(place)) throw new Error(`web/index.html lacks ${place}`);
    return all.replace(place, () => value);
  }, text);
}

function inPage(settings: PageSettings): SettingsInPage {
  const { mapLibrary, pmtiles } = fileGroups();
  const { baseMap } = settings;
  const urls = baseMap && baseMapUrls(baseMap);
  return {
    ...settings,
    mapLibraryUrl: mapLibrary.url,
    baseMap: urls && {
      tilesUrl: urls.tiles,
      layersUrls: { en: urls.style('en'), fr: urls.style('fr') },
      readerUrl: `${pmtiles.url}/pmtiles.js`,
      attribution: baseMap.attribution,
    },
  };
}
