import { browserHeaders } from '../../core/http/browser-headers.ts';
import { sendContent } from '../../core/http/content.ts';
import { fileGroups } from '../../core/http/file-groups.ts';
import { languageOf } from '../../core/http/page-language.ts';
import { openRoute, type Route } from '../../core/http/route.ts';
import type { Folder } from '../../core/http/routes.ts';
import { withoutKey } from '../../core/http/web-page.ts';
import { baseMapRoutes } from './base-map-route.ts';
import { pageDocument, type PageContent } from './page-document.ts';

/** What the page at `/` loads in any case. */
const FILES = [
  ...['/main.js', '/views.js', '/early.js', '/en.js', '/fr.js'],
  ...['/style.css', '/result.css', '/answers.css', '/print.css', '/icon.svg'],
];

/** The page at `/`, for the snapshot in service, and the base map. */
export function pageRoutes(content: () => PageContent): readonly Route[] {
  const { tileUrl, baseMap } = content();
  const page = pageDocument(content);
  const { styleSources, scriptSources } = page;
  const headers = browserHeaders({ tileOrigin: originOf(tileUrl), styleSources, scriptSources });
  const start = openRoute('/', [headers, withoutKey], ({ req, res }) => {
    res.vary('Accept-Language');
    return sendContent(req, res, page.content(languageOf(req)), { type: 'text/html; charset=utf-8' });
  });
  return [start, ...(baseMap ? baseMapRoutes(baseMap, headers) : [])];
}

/** The files that the page loads. */
export function pageFolders({ tileUrl, features }: PageContent): readonly Folder[] {
  const { web, mapLibrary, pmtiles } = fileGroups();
  // The worker of the map library asks for tiles.
  const headers = browserHeaders({ tileOrigin: originOf(tileUrl) });
  const hasMaps = features.includes('maps');
  const files = [
    ...FILES,
    ...(hasMaps ? ['/map.js'] : []),
    ...(features.includes('areas') ? ['/kml.js'] : []),
    ...(features.includes('compare') ? ['/compared.js'] : []),
    ...(features.includes('batches') ? ['/batch.js', '/batch.css'] : []),
  ];
  return [
    { path: '/web', headers, serve: web.serve(files) },
    ...(hasMaps
      ? [
          { path: '/vendor/maplibre-gl', headers, serve: mapLibrary.serve() },
          { path: '/vendor/pmtiles', headers, serve: pmtiles.serve() },
        ]
      : []),
  ];
}

const originOf = (tileUrl: string | null): string | undefined =>
  tileUrl === null ? undefined : new URL(tileUrl).origin;
