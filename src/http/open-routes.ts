/** Routes for anybody: what the answers mean, and whether the process can give them. They need no key. */
import { Router, type RequestHandler, type Response } from 'express';
import type { AliveBody } from '../shared/wire/health.ts';
import { readableFromAnywhere } from './browser-headers.ts';
import { contentOf, sendContent } from './content.ts';
import { onlyMethods } from './problem.ts';
import type { Services } from './services.ts';

/**
 * `/api/layers`: meaning of the keys and sources of the answers, for the snapshot in service, because the licences require attributions to be
 * visible. `/llms.txt`: what this service has, for language models. `/healthz`: the process answers. `/readyz`: it can answer lookups. Both of these
 * as JSON, 503 when not ready.
 */
export function openRoutes({ documents, health }: Services, llms: () => string): Router {
  const router = Router({ strict: true, caseSensitive: true });
  const get = (path: string, ...handlers: RequestHandler[]): void => {
    router
      .route(path)
      .get(...handlers)
      .all(onlyMethods('GET', 'HEAD'));
  };
  const layers = contentOf(() => JSON.stringify(documents.layers()));
  get('/api/layers', readableFromAnywhere, (req, res) => sendContent(req, res, layers(), { type: 'application/json' }));
  get('/llms.txt', readableFromAnywhere, (_req, res) => {
    res.set({ 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache' }).end(llms());
  });
  get('/healthz', (_req, res) => {
    send(res, 200, { status: 'alive', uptimeS: Math.round(process.uptime()) } satisfies AliveBody);
  });
  get('/readyz', async (_req, res) => {
    const state = await health.check();
    send(res, state.ready ? 200 : 503, state);
  });
  return router;
}

function send(res: Response, status: number, body: object): void {
  res.status(status).set('Cache-Control', 'no-store').json(body);
}
