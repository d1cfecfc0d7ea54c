import type { Schema } from '../shared/schema.ts';
import {
  answeredRowSchema,
  batchFeaturesSchema,
  batchInputRowSchema,
  batchRowSchema,
  failedRowSchema,
} from '../shared/wire/batch-rows.ts';
import { batchSchema, batchesSchema } from '../shared/wire/batch.ts';

/** Components of the document. */
export const batchSchemas: Schema = {
  Batch: batchSchema,
  Batches: batchesSchema,
  BatchInputRow: batchInputRowSchema,
  BatchRow: batchRowSchema,
  AnsweredRow: answeredRowSchema,
  FailedRow: failedRowSchema,
  BatchFeatures: batchFeaturesSchema,
};
