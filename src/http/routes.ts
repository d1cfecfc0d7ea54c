import { openApiDocument } from '../openapi/document.ts';
import type { Examples } from '../openapi/examples.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type { Schema } from '../shared/schema.ts';
import type { AccountContext } from './account/account-context.ts';
import { accountRoutes } from './account/routes.ts';
import type { BatchContext } from './batches/batch-context.ts';
import { batchRoutes } from './batches/routes.ts';
import type { Route } from './route.ts';
import { suggestRoute, type SuggestContext } from './suggest-route.ts';
import { webhookRoutes, type WebhooksContext } from './webhooks-route.ts';

export interface RoutesContext extends SuggestContext, WebhooksContext, AccountContext {
  readonly batches: BatchContext;
}

export const routes: readonly Route<RoutesContext>[] = [
  suggestRoute,
  ...batchRoutes,
  ...webhookRoutes,
  ...accountRoutes,
];

/** Makes the document of the API. */
export function apiDocument(catalogue: Catalogue, examples: Examples): Schema {
  return openApiDocument(catalogue, examples, routes);
}
