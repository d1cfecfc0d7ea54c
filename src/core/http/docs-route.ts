import type { RequestHandler, Request } from 'express';
import { LRUCache } from 'lru-cache';
import type { Schema } from '../../schema.ts';
import { reasonsOf } from '../../messages/reasons.ts';
import { problems } from '../../messages/problems.ts';
import { browserHeaders, readableFromAnywhere } from './browser-headers.ts';
import { Content, sendContent, contentOf } from './content.ts';
import { exampleRequest, exampleOfSample } from './service-documents.ts';
import { fileGroups } from './file-groups.ts';
import type { Guide } from './guides.ts';
import { escapeHtml, inEachLanguage, languageOf, pageInLanguage, smallPage, type PageLanguage } from './pages.ts';
import { openRoute, type Route } from './route.ts';
import type { AboutFeature, Folder } from './routes.ts';
import type { Services } from './services.ts';
import { flatPrice, priceIn, unitCostOf } from '../billing/shown-price.ts';

const HTML = 'text/html; charset=utf-8';

/** Of the document of the API and of what explains it. */
const docsHeaders = browserHeaders({ styleSources: ["'unsafe-inline'"] });

/**
 * `/openapi.json`, `/docs` (how to begin, and the contract, to read and to try), `/docs/errors` (an anchor per code), and a page for each guide.
 */
export function docsRoutes(
  services: Services,
  {
    document,
    about,
    guides,
    hasStart,
  }: {
    readonly document: Schema;
    readonly about: readonly AboutFeature[];
    readonly guides: readonly Guide[];
    /** Whether there is a page at `/`, to lead to. */
    readonly hasStart: boolean;
  },
): readonly Route[] {
  const here = (path: string, headers: RequestHandler, text: (address: string) => string): Route => {
    const parts = () => [exampleRequest(services), services.billing?.price?.known];
    const contents = inEachLanguage((language) =>
      pageWithAddress(services, parts, (address) => forReader(language, text(address))),
    );
    return openRoute(path, [headers], ({ req, res }) => {
      res.vary('Accept-Language');
      return sendContent(req, res, contents[languageOf(req)](req), { type: HTML });
    });
  };
  const contract = new Content(Buffer.from(JSON.stringify(document)));
  const sendErrors = pageInLanguage(
    () => [],
    (language) => forReader(language, errorsPage()),
  );
  return [
    openRoute('/openapi.json', [docsHeaders, readableFromAnywhere], ({ req, res }) =>
      sendContent(req, res, contract, { type: 'application/json' }),
    ),
    here('/docs', docsHeaders, (address) =>
      contractPage(frontDoor(services, address, { about, guides }), exampleRequest(services), hasStart),
    ),
    openRoute('/docs/errors', [docsHeaders], sendErrors),
    ...guides.map((guide) =>
      here(guide.path, browserHeaders(), (address) =>
        guidePage({ ...guide, html: guideHere(guide, address, services) }),
      ),
    ),
  ];
}

/** What these pages load, and what every small page does. */
export function docsFolders(): readonly Folder[] {
  const { web, swaggerUi } = fileGroups();
  return [
    { path: '/web', headers: browserHeaders(), serve: web.serve(['/docs.css', '/docs.js', '/icon.svg']) },
    { path: '/vendor/swagger-ui', headers: docsHeaders, serve: swaggerUi.serve() },
  ];
}

/** @param request body of a lookup that this service answers. */
function contractPage(door: string, request: string, hasStart: boolean): string {
  const { web, swaggerUi } = fileGroups();
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>land-lookup API</title>
<meta name="description" content="How to ask for Ontario land data by API: a key, a first lookup, limits and prices, and every operation">
<link rel="icon" href="${web.url}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${web.url}/docs.css">
<script src="${web.url}/docs.js" defer></script>
</head>
<body>
<nav class="back" aria-label="Site">${hasStart ? '<a href="/">Look an address up</a> · ' : ''}<a href="/docs/errors">Errors</a> · <a href="/openapi.json">OpenAPI document</a> · <a href="/licences">Licences of the data</a></nav>
${door}
<div id="contract" data-request="${escapeHtml(request)}" data-styles="${swaggerUi.url}/swagger-ui.css" data-program="${swaggerUi.url}/swagger-ui-bundle.js"></div>
</body>
</html>
`;
}

/** Says to whoever reads French that a page is in English. */
const forReader = (language: PageLanguage, html: string): string =>
  language === 'en'
    ? html
    : html.replace(
        '<nav class="back"',
        (nav) => `<p class="back" lang="fr">Cette documentation n’existe qu’en anglais.</p>\n${nav}`,
      );

function guidePage({ title, html }: Guide): string {
  return smallPage({
    language: 'en',
    title: `${title} · land-lookup`,
    links: '<a href="/docs">API documentation</a>',
    main: html,
  });
}

function errorsPage(): string {
  const codes = Object.entries(problems).map(
    ([code, { status, title, help }]) =>
      `<section id="${code}"><h2><code>${code}</code> <small>${status}</small></h2><p><strong>${title}.</strong> ${inCode(help)}</p>${reasonsList(code)}</section>`,
  );
  return smallPage({
    language: 'en',
    title: 'Errors of the land-lookup API',
    links: '<a href="/docs">API documentation</a>',
    main: `<h1>Errors</h1>
<p>Every failure is a problem document (RFC 9457, <code>application/problem+json</code>). Programs decide by <code>code</code>, and by <code>reason</code> where a code has several causes: both are stable. <code>title</code> and <code>detail</code> are for people.</p>
${codes.join('\n')}`,
  });
}

function reasonsList(code: string): string {
  const words: Readonly<Record<string, string>> = code in reasonsOf ? reasonsOf[code as keyof typeof reasonsOf] : {};
  const items = Object.entries(words).map(
    ([reason, meaning]) => `<dt><code>${reason}</code></dt><dd>${inCode(meaning)}</dd>`,
  );
  return items.length === 0 ? '' : `<dl>${items.join('')}</dl>`;
}

/** Converts text between backquotes to code. The registry's texts contain no markup. */
function inCode(text: string): string {
  return escapeHtml(text).replace(/`([^`]*)`/g, '<code>$1</code>');
}

/** A host as nearly all are. Any other is not repeated in a command. */
const HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i;

/** The address in our documents, where a service on the reader's own machine is. */
const IN_DOCUMENTS = 'http://127.0.0.1:8080';

/** Addresses under which a page is kept. */
const MOST_ADDRESSES = 4;

/** When there are so many, one more is taken in this time, in place of the one that nobody asked for longest. */
const NEW_ADDRESS_MS = 1000;

/**
 * Makes a page that names this service: by `PUBLIC_URL`, else by the address at which it was asked. Whoever asks under ever other names gets it as it is in our
 * documents: making, hashing and compressing it for each would take ten times as long as sending it.
 * @param parts what else the page is made of.
 */
export function pageWithAddress(
  { config }: { readonly config: Pick<Services['config'], 'publicUrl'> },
  parts: () => readonly unknown[],
  text: (address: string) => string,
  nowMs = (): number => performance.now(),
): (req: Pick<Request, 'get' | 'protocol'>) => Content {
  const contents = new LRUCache<string, () => Content>({ max: MOST_ADDRESSES });
  let lastMs = -Infinity;
  const contentFor = (address: string): (() => Content) => {
    let content = contents.get(address);
    if (content !== undefined) return content;
    const isFull = contents.size >= MOST_ADDRESSES && nowMs() - lastMs < NEW_ADDRESS_MS;
    if (isFull && address !== IN_DOCUMENTS) return contentFor(IN_DOCUMENTS);
    lastMs = nowMs();
    content = contentOf(parts, () => text(address));
    contents.set(address, content);
    return content;
  };
  return (req) => contentFor(config.publicUrl ?? addressIn(req))();
}

function addressIn(req: Pick<Request, 'get' | 'protocol'>): string {
  const host = req.get('host') ?? '';
  // A proxy may pass on any word as `X-Forwarded-Proto`.
  return HOST.test(host) ? `${req.protocol.toLowerCase() === 'https' ? 'https' : 'http'}://${host}` : IN_DOCUMENTS;
}

/** Writes a guide for this service: its commands ask this service for what it answers. */
function guideHere({ html }: Guide, address: string, services: Services): string {
  return html
    .replaceAll(IN_DOCUMENTS, () => escapeHtml(address))
    .replaceAll(escapeHtml(exampleOfSample), () => escapeHtml(exampleRequest(services)));
}

/** Where somebody gets a key, as a link or in words. @param keysAt page on which visitors get one by themselves; null: there is none. */
export function keyFrom(
  { contact }: Pick<Services['config'], 'contact'>,
  keysAt: string | null,
  link: (href: string, words: string) => string,
): string {
  if (keysAt !== null) return link(keysAt, 'get one here');
  if (contact === null) return 'ask the operator of this service for one';
  return `ask ${link(contact, contact.replace(/^mailto:/, ''))} for one`;
}

/** The page on which visitors get keys by themselves; null: there is none. */
export const keysAtOf = (about: readonly AboutFeature[]): string | null =>
  about.find(({ keysAt }) => keysAt !== undefined)?.keysAt ?? null;

/** What a lookup costs; null: no price is known. */
function priceOf({ billing }: Pick<Services, 'billing'>): string | null {
  const flat = flatPrice(billing?.price?.known ?? null);
  return flat && priceIn('en', { amount: unitCostOf(flat), currency: flat.currency });
}

const linkTo = (href: string, words: string): string => `<a href="${escapeHtml(href)}">${escapeHtml(words)}</a>`;

/** The lines on top of `/docs`, as HTML. */
function frontDoor(
  services: Services,
  address: string,
  { about, guides }: { readonly about: readonly AboutFeature[]; readonly guides: readonly Guide[] },
): string {
  const { config } = services;
  const price = priceOf(services);
  const command = [
    `curl -s ${address}/api/lookup \\`,
    `  -H 'Authorization: Bearer olk_...' -H 'Content-Type: application/json' \\`,
    `  -d '${exampleRequest(services)}'`,
  ].join('\n');
  const limits = about.map(({ limits: also }) => (also === undefined ? '' : ` ${escapeHtml(also)}`)).join('');
  const lines = {
    Address: `<code>${escapeHtml(address)}</code>, before every path below.`,
    Key: `In each request as <code>Authorization: Bearer olk_…</code>: ${keyFrom(config, keysAtOf(about), linkTo)}.`,
    'First lookup': `With your key in place of <code>olk_...</code>:<pre tabindex="0"><code>${escapeHtml(command)}</code></pre>`,
    'Limit and price': `A key may make ${config.rateLimitPerHour.toLocaleString('en-CA')} lookups per hour if it has no limit of its own; <code>RateLimit</code> in each answer says what is left.${limits} ${price === null ? 'Only' : `A lookup costs ${escapeHtml(price)}, and only`} an answer (200) is billed.`,
    'From a server': `Call it from a server of yours, never from a page in a browser: whoever sees the page would have your key. So no route with a key has CORS headers, and browsers refuse the call.`,
    Retries: `After 429 and 503 wait as many seconds as <code>Retry-After</code> says. With the same <code>Idempotency-Key</code>, a request that is sent again is counted and billed once.`,
    'Read on': guides.map(({ path, title }) => `<a href="${path}">${title}</a>`).join(' · '),
  };
  const items = Object.entries(lines).map(([name, line]) => `<dt>${name}</dt><dd>${line}</dd>`);
  return `<div class="door" role="main"><dl>\n${items.join('\n')}\n</dl></div>`;
}
