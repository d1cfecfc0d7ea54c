import { Router } from 'express';
import { readableFromAnywhere } from './browser-headers.ts';
import { onlyMethods } from './problem.ts';

/** `GET /llms.txt`: what this service has, for language models. It needs no key. */
export function llmsRoute(text: () => string): Router {
  const router = Router({ strict: true, caseSensitive: true });
  router
    .route('/llms.txt')
    .get(readableFromAnywhere, (_req, res) => {
      res.set({ 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache' }).end(text());
    })
    .all(onlyMethods('GET', 'HEAD'));
  return router;
}
