import express, { type Express, type RequestHandler, type Response } from 'express';
import { openApiDocument } from '../openapi/document.ts';
import { acceptedType } from './accepted-type.ts';
import { beginRequests } from './request-log.ts';
import { docsFolders, docsRoutes } from './docs-route.ts';
import { readExamples, exampleRequest } from './service-documents.ts';
import type { Services } from './services.ts';
import { readGuides } from './guides.ts';
import { licencesRoute } from './licences-route.ts';
import { llmsText, wellKnownRoutes } from './well-known.ts';
import { lookupHandler } from './lookup-route.ts';
import { noSuchRoute, onlyMethods, reportProblem } from './problem.ts';
import { stripeWebhookRoute } from './stripe-webhook-route.ts';
import { type Route, routerOf, openRoute } from './route.ts';
import { type RoutedFeature, lookupsOf, routesOf } from './routes.ts';
import { browserHeaders, readableFromAnywhere } from './browser-headers.ts';
import { Content, sendContent, contentOf } from './content.ts';
import { smallPage } from './pages.ts';
import type { AliveBody } from '../../messages/wire/health.ts';

/** Makes the app with all routes. It opens nothing and does not listen. @param features whose parts are open. */
export function createApp(services: Services, features: readonly RoutedFeature[]): Express {
  const { config, documents } = services;
  const openApi = openApiDocument(services.catalogue, readExamples(), features, config.publicUrl);
  const about = features.flatMap((feature) => feature.about?.(services) ?? []);
  const guides = readGuides(features);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // A number of hops, never `true`, which would trust an address that the client wrote.
  app.set('trust proxy', config.trustProxyHops);
  app.enable('case sensitive routing').enable('strict routing');
  const begin = beginRequests(services);
  const lookups = lookupsOf(features);
  for (const lookup of lookups) app.post(lookup.path, lookupHandler(services, lookup, begin));
  app.use((req, res, next) => {
    begin(req, res);
    next();
  });
  for (const { path } of lookups) app.all(path, onlyMethods('POST'));
  const pages = features.flatMap((feature) => feature.pages?.(services) ?? []);
  const hasStart = pages.some(({ path }) => path === '/');
  const others = [
    licencesRoute(documents.licences, hasStart),
    ...openRoutes(services, () => llmsText(services, { openApi, about, guides })),
    ...docsRoutes(services, { document: openApi, about, guides, hasStart }),
    ...wellKnownRoutes(services, [
      ...about.flatMap(({ forSearch }) => forSearch ?? []),
      ...['/docs', '/licences', ...guides.map(({ path }) => path)],
    ]),
    ...pages,
  ];
  app.use(routerOf([...routesOf(features), ...others], services));
  const folders = features.flatMap((feature) => feature.folders?.(services) ?? []);
  for (const { path, headers, serve } of [...folders, ...docsFolders()]) app.use(path, headers, serve);
  if (services.billing && config.billing?.webhookSecret)
    app.use(stripeWebhookRoute(services, services.billing, config.billing.webhookSecret));
  app.use(noPageRoute(hasStart));
  app.use(noSuchRoute);
  app.use(
    reportProblem((res) => {
      services.refusedRequests.note(res);
    }),
  );
  return app;
}

/**
 * What a person sees who follows a link that leads nowhere. Programs, and whatever asks below `/api`, get a problem document.
 * @param hasStart whether there is a page at `/`, to lead to.
 */
function noPageRoute(hasStart: boolean): RequestHandler {
  const content = new Content(Buffer.from(page(hasStart)));
  const setHeaders = browserHeaders();
  // No route, because Express answers OPTIONS with 200 wherever a route answers GET.
  return (req, res, next) => {
    const isPage = (req.method === 'GET' || req.method === 'HEAD') && !req.path.startsWith('/api/');
    if (isPage) res.vary('Accept');
    if (!isPage || acceptedType(req, ['json', 'html']) !== 'html') {
      next();
      return;
    }
    setHeaders(req, res, () => {
      res.status(404);
      void sendContent(req, res, content, { type: 'text/html; charset=utf-8' });
    });
  };
}

function page(hasStart: boolean): string {
  const start = (path: string, words: string): string => (hasStart ? `\n<p><a href="${path}">${words}</a></p>` : '');
  return smallPage({
    language: 'en',
    title: 'No such page · Page introuvable',
    main: `<h1>There is no page at this address</h1>${start('/', 'Look an address up')}
<section lang="fr"><h2>Il n’y a aucune page à cette adresse</h2>${start('/?lang=fr', 'Chercher une adresse')}</section>`,
  });
}

// Routes for anybody: what the answers mean, and whether the process can give them. They need no key.

/**
 * `/api/layers`: meaning of the keys and sources of the answers, for the snapshot in service, because the licences require attributions to be
 * visible. `/llms.txt`: what this service has, for language models. `/healthz`: the process answers. `/readyz`: it can answer lookups. Both of these
 * as JSON, 503 when not ready.
 */
function openRoutes(services: Services, llms: () => string): readonly Route[] {
  const { documents, health } = services;
  const layers = contentOf(
    () => [documents.layers()],
    () => JSON.stringify(documents.layers()),
  );
  const text = contentOf(() => [documents.layers(), documents.licences(), exampleRequest(services)], llms);
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
