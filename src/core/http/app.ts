import express, { type Express } from 'express';
import { openApiDocument } from '../openapi/document.ts';
import { beginRequests } from './begin-request.ts';
import { docsFolders, docsRoutes } from './docs-route.ts';
import { readExamples } from './service-documents.ts';
import type { Services } from './services.ts';
import { licencesRoute } from './licences-route.ts';
import { llmsText } from './llms-text.ts';
import { lookupHandler } from './lookup-route.ts';
import { openRoutes } from './open-routes.ts';
import { noPageRoute } from './no-page-route.ts';
import { noSuchRoute, onlyMethods, reportProblem } from './problem.ts';
import { stripeWebhookRoute } from './stripe-webhook-route.ts';
import { routerOf } from './route.ts';
import { lookupsOf, routesOf, type RoutedFeature } from './routes.ts';

/** Makes the app with all routes. It opens nothing and does not listen. @param features whose parts are open. */
export function createApp(services: Services, features: readonly RoutedFeature[]): Express {
  const { config, documents } = services;
  const openApi = openApiDocument(services.catalogue, readExamples(), features);
  const about = features.flatMap((feature) => feature.about?.(services) ?? []);
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
    ...openRoutes(services, () => llmsText(documents, openApi, config, about)),
    ...docsRoutes(openApi, hasStart),
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
