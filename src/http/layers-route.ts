import { Router } from 'express';
import type { LayersBody } from '../shared/wire/layers.ts';
import { onlyMethods } from './problem.ts';

/**
 * `GET /api/layers`: what the keys mean and where the answers come from, in the snapshot in service. Needs no key: the licences
 * ask for it to be seen.
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
