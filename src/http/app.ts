import express, { type Express } from 'express';
import { accountPageRoute } from './account/account-page.ts';
import { beginRequests, type RequestsContext } from './begin-request.ts';
import { docsRoute } from './docs-route.ts';
import type { ServiceDocuments } from './service-documents.ts';
import { healthRoute } from './health-route.ts';
import type { Health } from './health.ts';
import { layersRoute } from './layers-route.ts';
import { licencesRoute } from './licences-route.ts';
import { llmsRoute } from './llms-route.ts';
import { lookupPaths } from './lookup-paths.ts';
import { lookupHandler, type LookupContext } from './lookup-route.ts';
import { mcpRoute } from './mcp/route.ts';
import { pageRoute } from './page-route.ts';
import { noSuchRoute, onlyMethods, reportProblem } from './problem.ts';
import { signupRoute, type SignupContext } from './signup/signup-route.ts';
import { stripeWebhookRoute, type StripeWebhookContext } from './stripe-webhook-route.ts';
import { routerOf } from './route.ts';
import { routes, type RoutesContext } from './routes.ts';

export interface AppContext extends LookupContext, RoutesContext, RequestsContext {
  readonly documents: ServiceDocuments;
  readonly health: Health;
  readonly trustProxyHops: number;
  /** True: there is the page `/account`. */
  readonly hasAccountPage: boolean;
  /** Null: reports of the payment processor are not accepted. */
  readonly webhook: StripeWebhookContext | null;
  /** Null: an operator makes keys. */
  readonly signup: SignupContext | null;
}

/** Makes the app with all routes. It opens nothing and does not listen. */
export function createApp(context: AppContext): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // A number of hops, never `true`, which would trust an address that the client wrote.
  app.set('trust proxy', context.trustProxyHops);
  app.enable('case sensitive routing').enable('strict routing');
  const begin = beginRequests(context);
  for (const path of lookupPaths) app.post(path, lookupHandler(context, path, begin));
  app.use((req, res, next) => {
    begin(req, res);
    next();
  });
  for (const path of lookupPaths) app.all(path, onlyMethods('POST'));
  app.use(routerOf(routes, context));
  if (context.hasAccountPage) app.use(accountPageRoute());
  app.use(mcpRoute(context));
  app.use(layersRoute(context.documents.layers));
  app.use(licencesRoute(context.documents.licences));
  app.use(llmsRoute(context.documents.llms));
  app.use(healthRoute(context.health));
  app.use(docsRoute(context.documents.openApi));
  app.use(pageRoute(context.documents.page));
  if (context.signup) app.use(signupRoute(context.signup));
  if (context.webhook) app.use(stripeWebhookRoute(context.webhook));
  app.use(noSuchRoute);
  app.use(reportProblem);
  return app;
}
