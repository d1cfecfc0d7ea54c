import { Router, type Response } from 'express';
import type { AliveBody } from '../shared/wire/health.ts';
import type { Health } from './health.ts';
import { onlyMethods } from './problem.ts';

/** `/healthz`: the process answers. `/readyz`: it can answer lookups. Both as JSON, 503 when not ready. */
export function healthRoute(health: Health): Router {
  const router = Router({ strict: true, caseSensitive: true });
  router
    .route('/healthz')
    .get((_req, res) => {
      const body: AliveBody = { status: 'alive', uptimeS: Math.round(process.uptime()) };
      send(res, 200, body);
    })
    .all(onlyMethods('GET', 'HEAD'));
  router
    .route('/readyz')
    .get(async (_req, res) => {
      const state = await health.check();
      send(res, state.ready ? 200 : 503, state);
    })
    .all(onlyMethods('GET', 'HEAD'));
  return router;
}

function send(res: Response, status: number, body: object): void {
  res.status(status).set('Cache-Control', 'no-store').json(body);
}
