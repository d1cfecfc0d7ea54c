import { Router, type RequestHandler } from 'express';
import { baseMapRoutes } from './base-map-route.ts';
import { browserHeaders } from './browser-headers.ts';
import { sendContent } from './content.ts';
import { docsHeaders } from './docs-route.ts';
import { fileGroups } from './file-groups.ts';
import { pageDocument, type PageSettings } from './page-document.ts';
import { languageOf } from './page-language.ts';
import { openRoute, routerOf, type Route } from './route.ts';
import type { Services } from './services.ts';
import { webPage } from './web-page.ts';

/** The page at `/`, for the snapshot in service, with the base map, and the folders of files that pages load. */
export function pageRouter(services: Services): Router {
  const settings: () => PageSettings = services.documents.page;
  const { tileUrl, baseMap } = settings();
  const page = pageDocument(settings);
  const tileOrigin = tileUrl === null ? undefined : new URL(tileUrl).origin;
  const { styleSources, scriptSources } = page;
  const headers = browserHeaders({ tileOrigin, styleSources, scriptSources });
  const { web, mapLibrary, pmtiles, swaggerUi } = fileGroups();
  const start = openRoute('/', [headers, withoutKey], ({ req, res }) => {
    res.vary('Accept-Language');
    return sendContent(req, res, page.content(languageOf(req)), { type: 'text/html; charset=utf-8' });
  });
  const router = Router({ strict: true, caseSensitive: true });
  router.use(routerOf([start, ...(baseMap ? baseMapRoutes(baseMap, headers) : [])], services));
  // Folders, whose files have no routes of their own.
  router.use('/web', headers, web.serve);
  router.use('/vendor/maplibre-gl', headers, mapLibrary.serve);
  router.use('/vendor/pmtiles', headers, pmtiles.serve);
  router.use('/vendor/swagger-ui', docsHeaders, swaggerUi.serve);
  return router;
}

/** The page `/account`, which is the same for everybody: what it shows comes from `/api/account`. No cache keeps it. */
export function accountPageRoute(): Route {
  const page = webPage('/account.html');
  return openRoute('/account', [browserHeaders(), withoutKey], ({ res }) => {
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    res.end(page);
  });
}

/**
 * Leads a browser with a key in its address to the same address without it, so that the key does not stay in the address bar and in the history.
 * No page of ours makes such an address; a page of an earlier version did, and people try.
 */
const withoutKey: RequestHandler = (req, res, next) => {
  const query = new URLSearchParams(req.url.split('?').slice(1).join('?'));
  if (!query.has('key')) {
    next();
    return;
  }
  query.delete('key');
  res.setHeader('Cache-Control', 'no-store');
  res.redirect(303, query.size === 0 ? req.path : `${req.path}?${query.toString()}`);
};
