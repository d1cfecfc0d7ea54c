import { Router } from 'express';
import type { LayersBody } from '../contract/layers.ts';
import { onlyMethods } from './problem.ts';

/** `GET /api/layers`: what the keys mean and where the answers come from. Needs no key: the licences ask for it to be seen. */
export function layersRoute(body: LayersBody): Router {
  const json = JSON.stringify(body);
  const router = Router({ strict: true, caseSensitive: true });
  router
    .route('/api/layers')
    .get((_req, res) => {
      res.set({ 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' }).end(json);
    })
    .all(onlyMethods('GET', 'HEAD'));
  return router;
}
