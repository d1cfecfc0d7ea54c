import type { RequestHandler } from 'express';
import type { Schema } from '../../schema.ts';
import { reasonsOf } from '../../messages/reasons.ts';
import { problems } from '../../messages/problems.ts';
import { browserHeaders, readableFromAnywhere } from './browser-headers.ts';
import { Content, sendContent } from './content.ts';
import { exampleRequest } from './example-request.ts';
import { fileGroups } from './file-groups.ts';
import { frontDoor, guideHere, pageWithAddress } from './front-door.ts';
import type { Guide } from './guides.ts';
import { escapeHtml } from './html.ts';
import { openRoute, type Route } from './route.ts';
import type { AboutFeature, Folder } from './routes.ts';
import type { Services } from './services.ts';
import { smallPage } from './small-page.ts';

const HTML = 'text/html; charset=utf-8';

/** Of the document of the API and of what explains it. */
const docsHeaders = browserHeaders({ styleSources: ["'unsafe-inline'"] });

interface Documented {
  readonly document: Schema;
  readonly about: readonly AboutFeature[];
  readonly guides: readonly Guide[];
  /** Whether there is a page at `/`, to lead to. */
  readonly hasStart: boolean;
}

/**
 * `/openapi.json`, `/docs` (how to begin, and the contract, to read and to try), `/docs/errors` (an anchor per code), and a page for each guide.
 */
export function docsRoutes(services: Services, { document, about, guides, hasStart }: Documented): readonly Route[] {
  const sent = (path: string, type: string, text: string, ...more: RequestHandler[]): Route => {
    const content = new Content(Buffer.from(text));
    return openRoute(path, [docsHeaders, ...more], ({ req, res }) => sendContent(req, res, content, { type }));
  };
  const here = (path: string, headers: RequestHandler, text: (address: string) => string): Route => {
    const content = pageWithAddress(services, () => [exampleRequest(services), services.billing?.price?.known], text);
    return openRoute(path, [headers], ({ req, res }) => sendContent(req, res, content(req), { type: HTML }));
  };
  return [
    sent('/openapi.json', 'application/json', JSON.stringify(document), readableFromAnywhere),
    here('/docs', docsHeaders, (address) => contractPage(frontDoor(services, address, { about, guides }), hasStart)),
    sent('/docs/errors', HTML, errorsPage()),
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

function contractPage(door: string, hasStart: boolean): string {
  const { web, swaggerUi } = fileGroups();
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>land-lookup API</title>
<link rel="icon" href="${web.url}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${swaggerUi.url}/swagger-ui.css">
<link rel="stylesheet" href="${web.url}/docs.css">
<script src="${swaggerUi.url}/swagger-ui-bundle.js" defer></script>
<script src="${web.url}/docs.js" defer></script>
</head>
<body>
<nav class="back" aria-label="Site">${hasStart ? '<a href="/">Look an address up</a> · ' : ''}<a href="/docs/errors">Errors</a> · <a href="/openapi.json">OpenAPI document</a> · <a href="/licences">Licences of the data</a></nav>
${door}
<div id="contract"></div>
</body>
</html>
`;
}

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
