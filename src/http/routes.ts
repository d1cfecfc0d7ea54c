import { openApiDocument } from '../openapi/document.ts';
import type { Examples } from '../openapi/examples.ts';
import type { Catalogue } from '../shared/catalogue/catalogue.ts';
import type { Schema } from '../shared/schema.ts';
import { changeAccount, showAccount } from './account/account.ts';
import { makeKey, revokeKey, rotateKey } from './account/keys.ts';
import { openPortal } from './account/portal.ts';
import { showUsage } from './account/usage.ts';
import { cancelBatch, deleteBatch, listBatches, showBatch } from './batches/batches.ts';
import { createBatch } from './batches/create.ts';
import { batchResults } from './batches/results.ts';
import { examplesRoutes } from './examples-route.ts';
import type { Route } from './route.ts';
import { suggestRoute } from './suggest-route.ts';
import { webhookRoutes } from './webhooks-route.ts';

/** In the order in which the document of the API and `/llms.txt` have them. */
export const routes: readonly Route[] = [
  ...examplesRoutes,
  suggestRoute,
  // Many rows at once. A key sees its own batches only.
  ...[createBatch, listBatches, showBatch, deleteBatch, batchResults, cancelBatch],
  ...webhookRoutes,
  // What the holder of a key sees and changes. It is not billed.
  ...[showAccount, changeAccount, showUsage, makeKey, rotateKey, revokeKey, openPortal],
];

/** Makes the document of the API. */
export function apiDocument(catalogue: Catalogue, examples: Examples): Schema {
  return openApiDocument(catalogue, examples, routes);
}
