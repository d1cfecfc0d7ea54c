import { createHash } from 'node:crypto';
import { priceIn } from '../../core/billing/shown-price.ts';
import { baseMapStyles, baseMapUrls, type BaseMap, type BaseMapStyle } from './base-map.ts';
import { fileGroups } from '../../core/http/file-groups.ts';
import {
  escapeHtml,
  inEachLanguage,
  inLanguage,
  pageInLanguage,
  textIn,
  type PageLanguage,
  webPage,
  type BriefAnswer,
  type PageFacts,
} from '../../core/http/pages.ts';
import type { PageSettings } from './settings.ts';

/** Features that the page speaks of, as `data-feature` of `web/app/index.html` and the page's program name them. */
export const namedOnPage = [
  'account',
  'areas',
  'batches',
  'compare',
  'examples',
  'maps',
  'rules',
  'signup',
  'sources',
  'suggest',
] as const;

/** What the page must know before its first answer. It stands in the page itself, which saves a request. */
export interface PageContent extends Omit<PageFacts, 'signup'>, Pick<PageSettings, 'tileUrl' | 'tileAttribution'> {
  /** Those of the features that are there. */
  readonly features: readonly (typeof namedOnPage)[number][];
  /** The base map on this machine; it goes before the tiles. */
  readonly baseMap: BaseMap | null;
  /** Whom to ask for a key; null: it is not given. */
  readonly contact: string | null;
  /** Number of layers. */
  readonly layers: number;
  /** True when some of the data is the invented sample. */
  readonly sample: boolean;
}

/** The same as the page gets it. */
export interface ContentInPage extends Omit<PageContent, 'baseMap' | 'brief' | 'contact'> {
  readonly mapLibraryUrl: string;
  readonly baseMap: {
    readonly tilesUrl: string;
    readonly layersUrls: Readonly<Record<BaseMapStyle, string>>;
    /** Program that reads the tiles. */
    readonly readerUrl: string;
    readonly attribution: string;
  } | null;
}

/**
 * Makes the page from `web/app/index.html`: with the style sheet in it, so that the first paint waits for no other file, and with the script that
 * keeps what is pressed early; with what the snapshot in service decides and in the reader's language, so that nothing moves when the program starts.
 */
export function pageDocument(given: () => PageContent): {
  readonly send: ReturnType<typeof pageInLanguage>;
  /** Hashes of the style sheet and of the script that stand in the page, for its Content-Security-Policy. */
  readonly styleSources: readonly string[];
  readonly scriptSources: readonly string[];
} {
  const { web } = fileGroups();
  const isThere = (name: string): boolean => given().features.some((one) => one === name);
  const style = web.text('/style.css');
  const early = web.text('/early.js');
  const template = put(webPage('/index.html', isThere), {
    [`<link rel="stylesheet" href="${web.url}/style.css" />`]: `<style>${style}</style>`,
    [`<script src="${web.url}/early.js"></script>`]: `<script>${early}</script>`,
  });
  const translated = inEachLanguage((language) =>
    put(inLanguage(template, language), { '<!-- program -->': programIn(language) }),
  );
  return {
    send: pageInLanguage(
      () => [given()],
      (language) => fill(translated[language], given(), language),
    ),
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

function fill(template: string, content: PageContent, language: PageLanguage): string {
  const { examples, brief, features, layers, sample, baseMap, tileUrl, contact } = content;
  const buttons = examples.map(({ outcome, address }) => {
    const words = `<span data-text="example_${outcome}">${textIn(language, `example_${outcome}`)}</span>`;
    // Nothing here is outside the province.
    const short = escapeHtml(address.replace(/, ON$/, ''));
    return `<button type="button" class="example" data-outcome="${outcome}">${words} ${short}</button>`;
  });
  const json = JSON.stringify(inPage(content)).replaceAll('<', '\\u003c');
  return put(template, {
    '{layers}': String(layers),
    '<!-- settings -->': `<script type="application/json" id="settings">${json}</script>`,
    ...shownIf('sample', sample),
    ...(features.includes('examples')
      ? { '<!-- examples -->': buttons.join(''), '<!-- brief -->': brief === null ? '' : briefly(brief, language) }
      : {}),
    ...(features.includes('signup')
      ? { '{price}': perLookup(content, language) }
      : { '{contact}': escapeHtml(contact ?? ''), ...shownIf('askKey', contact !== null) }),
    ...(features.includes('maps') ? shownIf('openMap', baseMap !== null || tileUrl !== null) : {}),
  });
}

/** Both languages stand there, and the style sheet shows that of the page: it changes without a request. */
function briefly({ outcome, address, lines }: BriefAnswer, language: PageLanguage): string {
  const lists = inEachLanguage(
    (one) => `<ul lang="${one}">${lines[one].map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul>`,
  );
  return `<h2 id="brief-heading" data-text="brief">${textIn(language, 'brief')}</h2>
        <p class="brief-place">${escapeHtml(address)}</p>
        ${lists.en}${lists.fr}
        <button type="button" data-outcome="${outcome}" data-text="briefWhole">${textIn(language, 'briefWhole')}</button>`;
}

/** What `priceWords` of `web/shared/spending.ts` writes there. */
function perLookup({ price }: PageContent, language: PageLanguage): string {
  if (price === null) return '';
  return textIn(language, 'perLookup').replace('{amount}', () => escapeHtml(priceIn(language, price)));
}

/** Takes `hidden` from the element with this text. */
function shownIf(text: string, isShown: boolean): Record<string, string> {
  const hidden = `data-text="${text}" hidden`;
  return { [hidden]: isShown ? `data-text="${text}"` : hidden };
}

/** @throws Error when a place is not in the text: the page and this program belong together. */
function put(text: string, places: Readonly<Record<string, string>>): string {
  return Object.entries(places).reduce((all, [place, value]) => {
    if (!all.includes(place)) throw new Error(`web/app/index.html lacks ${place}`);
    return all.replace(place, () => value);
  }, text);
}

function inPage(content: PageContent): ContentInPage {
  const { mapLibrary, pmtiles } = fileGroups();
  const { baseMap, features, examples, price, feedbackUrl, layers, sample, tileUrl, tileAttribution } = content;
  const urls = baseMap && baseMapUrls(baseMap);
  return {
    ...{ features, examples, price, feedbackUrl, layers, sample, tileUrl, tileAttribution },
    mapLibraryUrl: features.includes('maps') ? mapLibrary.url : '',
    baseMap: urls && {
      tilesUrl: urls.tiles,
      layersUrls: Object.fromEntries(baseMapStyles.map((style) => [style, urls.style(style)])) as Record<
        BaseMapStyle,
        string
      >,
      readerUrl: `${pmtiles.url}/pmtiles.js`,
      attribution: baseMap.attribution,
    },
  };
}
