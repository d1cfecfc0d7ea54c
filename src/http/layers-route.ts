import { Router } from 'express';
import type { LayersBody } from '../shared/wire/layers.ts';
import { readableFromAnywhere } from './browser-headers.ts';
import { contentOf, sendContent } from './content.ts';
import { onlyMethods } from './problem.ts';

/**
 * `GET /api/layers`: meaning of the keys and sources of the answers, for the snapshot in service. It needs no key,
 * because the licences require attributions to be visible.
 */
export function layersRoute(layers: () => LayersBody): Router {
  const content = contentOf(() => JSON.stringify(layers()));
  const router = Router({ strict: true, caseSensitive: true });
  router
    .route('/api/layers')
    .get(readableFromAnywhere, (req, res) => sendContent(req, res, content(), { type: 'application/json' }))
    .all(onlyMethods('GET', 'HEAD'));
  return router;
}
