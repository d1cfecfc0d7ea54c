import type { Request, Response } from 'express';
import { resultsStream } from '../../batches/results.ts';
import type { BatchJob } from '../../batches/job.ts';
import { withFurther } from '../../shared/further-keys.ts';
import { AppError } from '../../shared/problems.ts';
import { resultTypes } from '../../shared/wire/batch.ts';
import { requestContextOf } from '../request-context.ts';
import { sendParts } from '../slow-readers.ts';
import { compressed } from './compressed.ts';
import { wantedResultsOf } from './batch-request.ts';
import type { BatchContext } from './batch-context.ts';

/**
 * Sends what can be read of a batch's results.
 * @throws AppError BAD_REQUEST for a query that is not valid, CONFLICT for a format that needs the end of the batch, GONE when the results
 * were deleted.
 */
export async function sendResults(
  { store, catalogue, attributionOf }: BatchContext,
  job: BatchJob,
  { req, res }: { readonly req: Request; readonly res: Response },
): Promise<void> {
  const { format, afterRow } = wantedResultsOf(req);
  if (job.state === 'expired') throw new AppError('GONE', `the results of this batch were deleted at ${job.endedAt}`);
  const attribution = attributionOf(job.snapshot);
  const results = resultsStream(store, job, {
    ...{ format, afterRow, attribution },
    catalogue: withFurther(catalogue, job.further),
  });
  // Parquet is compressed inside.
  const isCompressed = format !== 'parquet' && req.acceptsEncodings('gzip') !== false;
  const parts = (isCompressed ? compressed(results) : results)[Symbol.asyncIterator]();
  // What fails before the first part has its problem document.
  const first = await parts.next();
  res.status(200);
  // Not `res.set`, which would add a charset that NDJSON does not have.
  res.setHeader('Content-Type', resultTypes[format]);
  res.setHeader('Batch-State', job.state);
  if (isCompressed) res.setHeader('Content-Encoding', 'gzip');
  res.vary('Accept, Accept-Encoding');
  try {
    if (req.method !== 'HEAD' && first.done !== true) await sendParts(res, first.value, { rest: parts });
  } catch (cause) {
    requestContextOf(res).error = AppError.from(cause);
    throw cause;
  } finally {
    await parts.return?.();
  }
  res.end();
}
