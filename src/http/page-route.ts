import { Router } from 'express';
import { baseMapRoute } from './base-map-route.ts';
import { browserHeaders } from './browser-headers.ts';
import { sendContent } from './content.ts';
import { fileGroups } from './file-groups.ts';
import { withoutKey } from './key-in-address.ts';
import { pageDocument, type PageSettings } from './page-document.ts';
import { languageOf } from './page-language.ts';
import { onlyMethods } from './problem.ts';

/** The page at `/`, its files below `/web`, the map library, and the base map. `settings`: for the snapshot in service. */
export function pageRoute(settings: () => PageSettings): Router {
  const { tileUrl, baseMap } = settings();
  const page = pageDocument(settings);
  const tileOrigin = tileUrl === null ? undefined : new URL(tileUrl).origin;
  const { styleSources, scriptSources } = page;
  const headers = browserHeaders({ tileOrigin, styleSources, scriptSources });
  const { web, mapLibrary, pmtiles } = fileGroups();
  const router = Router({ strict: true, caseSensitive: true });
  router
    .route('/')
    .get(headers, withoutKey, (req, res) => {
      res.vary('Accept-Language');
      return sendContent(req, res, page.content(languageOf(req)), { type: 'text/html; charset=utf-8' });
    })
    .all(onlyMethods('GET', 'HEAD'));
  router.use('/web', headers, web.serve);
  router.use('/vendor/maplibre-gl', headers, mapLibrary.serve);
  router.use('/vendor/pmtiles', headers, pmtiles.serve);
  if (baseMap) router.use(baseMapRoute(baseMap, headers));
  return router;
}
