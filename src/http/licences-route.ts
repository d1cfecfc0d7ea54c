import type { LicencesBody, LicenceStatement } from '../shared/wire/licences.ts';
import { browserHeaders, readableFromAnywhere } from './browser-headers.ts';
import { fileGroups } from './file-groups.ts';
import { escapeHtml } from './html.ts';
import { openRoute, type Route } from './route.ts';

/**
 * `GET /licences`: the statements that the licences of the data in service require, as JSON, or as a page for a client that prefers
 * HTML. It needs no key. The `Link` of every answer leads here.
 */
export function licencesRoute(licences: () => LicencesBody): Route {
  return openRoute('/licences', [browserHeaders(), readableFromAnywhere], ({ req, res }) => {
    res.set({ 'Cache-Control': 'no-cache', Vary: 'Accept' });
    if (req.accepts(['json', 'html']) === 'html') {
      res.set('Content-Type', 'text/html; charset=utf-8').end(page(licences()));
    } else {
      res.setHeader('Content-Type', 'application/json');
      res.end(JSON.stringify(licences()));
    }
  });
}

function page({ snapshot, statements }: LicencesBody): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Licences of the data</title>
<link rel="icon" href="${fileGroups().web.url}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${fileGroups().web.url}/docs.css">
</head>
<body>
<nav class="back" aria-label="Site"><a href="/">Look an address up</a> · <a href="/docs">API documentation</a></nav>
<main>
<h1>Licences of the data</h1>
<p>Show these statements wherever you pass answers on: the licences require it. They are those of the data in service, snapshot <code>${escapeHtml(snapshot.id)}</code>.</p>
${statements.map(section).join('\n')}
</main>
</body>
</html>
`;
}

function section({ licence, attribution, data }: LicenceStatement): string {
  const items = data.map(({ title, publisher, asOf, sourceUntil }) => {
    const until = sourceUntil === null ? [] : [`its source says that it ends on ${sourceUntil}`];
    return `<li>${[title, publisher, ...(asOf === null ? [] : [asOf]), ...until].map(escapeHtml).join(', ')}</li>`;
  });
  return `<section><h2>${licence ? nameOf(licence) : 'Sample data'}</h2>
<p>${escapeHtml(attribution)}</p>
<ul>
${items.join('\n')}
</ul></section>`;
}

function nameOf({ id, url }: NonNullable<LicenceStatement['licence']>): string {
  return url === null ? escapeHtml(id) : `<a href="${escapeHtml(url)}" rel="noreferrer">${escapeHtml(id)}</a>`;
}
