import { Router } from 'express';
import type { LayersBody } from '../shared/wire/layers.ts';
import { onlyMethods } from './problem.ts';

/**
 * `GET /api/layers`: meaning of the keys and sources of the answers, for the snapshot in service. It needs no key,
 * because the licences require attributions to be visible.
 */
export function layersRoute(layers: () => LayersBody): Router {
  const router = Router({ strict: true, caseSensitive: true });
  router
    .route('/api/layers')
    .get((_req, res) => {
      res.set({ 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' }).end(JSON.stringify(layers()));
    })
    .all(onlyMethods('GET', 'HEAD'));
  return router;
}
