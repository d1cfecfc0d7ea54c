import { Router } from 'express';
import { browserHeaders } from './browser-headers.ts';
import { sendContent } from './content.ts';
import { fileGroups } from './file-groups.ts';
import { pageDocument, type PageSettings } from './page-document.ts';
import { onlyMethods } from './problem.ts';

/** The page at `/`, its files below `/web`, and the map library. `settings`: for the snapshot in service. */
export function pageRoute(settings: () => PageSettings): Router {
  const { tileUrl } = settings();
  const page = pageDocument(settings);
  const tileOrigin = tileUrl === null ? undefined : new URL(tileUrl).origin;
  const headers = browserHeaders({ tileOrigin, styleSources: page.styleSources });
  const { web, mapLibrary } = fileGroups();
  const router = Router({ strict: true, caseSensitive: true });
  router
    .route('/')
    .get(headers, (req, res) => sendContent(req, res, page.content(), { type: 'text/html; charset=utf-8' }))
    .all(onlyMethods('GET', 'HEAD'));
  router.use('/web', headers, web.serve);
  router.use('/vendor/maplibre-gl', headers, mapLibrary.serve);
  return router;
}
