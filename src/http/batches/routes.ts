import { cancelBatch, deleteBatch, listBatches, showBatch } from './batches.ts';
import { createBatch } from './create.ts';
import { batchResults } from './results.ts';

/** `/api/batches…`: many rows at once. A key sees its own batches only. */
export const batchRoutes = [createBatch, listBatches, showBatch, deleteBatch, batchResults, cancelBatch];
