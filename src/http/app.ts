import express, { type Express } from 'express';
import { beginRequests } from './begin-request.ts';
import { docsRoutes } from './docs-route.ts';
import { readExamples } from './service-documents.ts';
import type { Services } from './services.ts';
import { examplesPageRoute } from './examples-page-route.ts';
import { licencesRoute } from './licences-route.ts';
import { llmsText } from './llms-text.ts';
import { lookupPaths } from './lookup-paths.ts';
import { lookupHandler } from './lookup-route.ts';
import { mcpRoute } from './mcp/route.ts';
import { openRoutes } from './open-routes.ts';
import { accountPageRoute, pageRouter } from './page-route.ts';
import { noPageRoute } from './no-page-route.ts';
import { noSuchRoute, onlyMethods, reportProblem } from './problem.ts';
import { signupRoutes } from './signup/signup-route.ts';
import { stripeWebhookRoute } from './stripe-webhook-route.ts';
import { routerOf } from './route.ts';
import { apiDocument, routes } from './routes.ts';

/** Makes the app with all routes. It opens nothing and does not listen. */
export function createApp(services: Services): Express {
  const { config, documents } = services;
  const openApi = apiDocument(services.catalogue, readExamples());
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // A number of hops, never `true`, which would trust an address that the client wrote.
  app.set('trust proxy', config.trustProxyHops);
  app.enable('case sensitive routing').enable('strict routing');
  const begin = beginRequests(services);
  for (const path of lookupPaths) app.post(path, lookupHandler(services, path, begin));
  app.use((req, res, next) => {
    begin(req, res);
    next();
  });
  for (const path of lookupPaths) app.all(path, onlyMethods('POST'));
  const others = [
    mcpRoute,
    licencesRoute(documents.licences),
    examplesPageRoute(services),
    ...openRoutes(services, () => llmsText(documents, openApi, config)),
    ...docsRoutes(openApi),
    ...(config.signup === null ? [] : [accountPageRoute()]),
    ...(services.signup ? signupRoutes(services, services.signup) : []),
  ];
  app.use(routerOf([...routes, ...others], services));
  app.use(pageRouter(services));
  if (services.billing && config.billing?.webhookSecret)
    app.use(stripeWebhookRoute(services, services.billing, config.billing.webhookSecret));
  app.use(noPageRoute());
  app.use(noSuchRoute);
  app.use(
    reportProblem((res) => {
      services.refusedRequests.note(res);
    }),
  );
  return app;
}
