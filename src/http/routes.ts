import { openApiDocument } from '../openapi/document.ts';
import type { Examples } from '../openapi/examples.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type { Schema } from '../shared/schema.ts';
import { accountRoutes } from './account/routes.ts';
import { batchRoutes } from './batches/routes.ts';
import type { Route } from './route.ts';
import { suggestRoute } from './suggest-route.ts';
import { webhookRoutes } from './webhooks-route.ts';

export const routes: readonly Route[] = [suggestRoute, ...batchRoutes, ...webhookRoutes, ...accountRoutes];

/** Makes the document of the API. */
export function apiDocument(catalogue: Catalogue, examples: Examples): Schema {
  return openApiDocument(catalogue, examples, routes);
}
