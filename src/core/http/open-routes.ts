/** Routes for anybody: what the answers mean, and whether the process can give them. They need no key. */
import type { Response } from 'express';
import type { AliveBody } from '../../messages/wire/health.ts';
import { readableFromAnywhere } from './browser-headers.ts';
import { contentOf, sendContent } from './content.ts';
import { openRoute, type Route } from './route.ts';
import type { Services } from './services.ts';

/**
 * `/api/layers`: meaning of the keys and sources of the answers, for the snapshot in service, because the licences require attributions to be
 * visible. `/llms.txt`: what this service has, for language models. `/healthz`: the process answers. `/readyz`: it can answer lookups. Both of these
 * as JSON, 503 when not ready.
 */
export function openRoutes({ documents, health }: Services, llms: () => string): readonly Route[] {
  const layers = contentOf(
    () => [documents.layers()],
    () => JSON.stringify(documents.layers()),
  );
  const text = contentOf(() => [documents.layers(), documents.licences()], llms);
  const before = [readableFromAnywhere];
  return [
    openRoute('/api/layers', before, ({ req, res }) => sendContent(req, res, layers(), { type: 'application/json' })),
    openRoute('/llms.txt', before, ({ req, res }) =>
      sendContent(req, res, text(), { type: 'text/plain; charset=utf-8' }),
    ),
    openRoute('/healthz', [], ({ res }) => {
      send(res, 200, { status: 'alive', uptimeS: Math.round(process.uptime()) } satisfies AliveBody);
    }),
    openRoute('/readyz', [], async ({ res }) => {
      const state = await health.check();
      send(res, state.ready ? 200 : 503, state);
    }),
  ];
}

function send(res: Response, status: number, body: object): void {
  res.status(status).set('Cache-Control', 'no-store').json(body);
}
