import type { TProperties } from 'typebox';
import { batchContent, uploadBody } from '../wire/batch-contents.ts';
import { commonHeaders, goneVintage, header, parameter } from '../../../core/openapi/responses.ts';
import { batchInputRowSchema } from '../wire/batch-rows.ts';
import { batchSchema, type BatchQuery } from '../wire/batch.ts';
import { idempotencyKeySchema } from '../../../messages/wire/lookup.ts';
import { route } from '../../../core/http/route.ts';
import { acceptBatch, requireAllowance } from './accept-batch.ts';
import { batchQuery } from './batch-request.ts';
import { sendBatch } from './batches.ts';

/** `POST /api/batches`: a file of places. */
export const createBatch = route<BatchQuery>({
  method: 'post',
  path: '/api/batches',
  key: {},
  changes: 'no: its rows are lookups, and a key that has ended gets none',
  requires: requireAllowance,
  query: batchQuery,
  docs: (examples, brought) => ({
    operationId: 'createBatch',
    tag: 'batches',
    summary: 'Look up a file of addresses or points',
    description:
      'Takes up to 1,000,000 rows or 256 MB, also compressed (`Content-Encoding: gzip`). The batch is on the disk before the answer. Rows come out as they went in, in the same order; a row that is not valid is a row with an error. Rows count against the allowance of the key for the day (UTC), not against the hourly limit; each row with a 200 is one lookup on the bill.',
    headers: [
      parameter('header', 'Idempotency-Key', idempotencyKeySchema),
      {
        name: 'Content-Encoding',
        in: 'header',
        description: 'gzip for a compressed file.',
        schema: { type: 'string', enum: ['gzip'] },
      },
    ],
    body: uploadBody(examples, brought),
    schemas: {
      Batch: batchSchema,
      BatchInputRow: batchInputRowSchema(Object.assign({}, ...brought.lookups.map(({ row }) => row)) as TProperties),
    },
    answers: {
      202: {
        description: 'The batch.',
        headers: {
          Location: { description: 'Where the batch is.', schema: { type: 'string', format: 'uri-reference' } },
          'Idempotent-Replayed': header('IdempotentReplayed'),
          ...commonHeaders,
        },
        content: batchContent,
      },
      410: goneVintage,
    },
    failures: ['TOO_LARGE', 'NOT_FOUND'],
  }),
  async handle({ services, req, res, query }) {
    const { job, isReplayed } = await acceptBatch(services, query, { req, res });
    if (isReplayed) res.setHeader('Idempotent-Replayed', 'true');
    res.setHeader('Location', `/api/batches/${job.id}`);
    sendBatch(res, job, 202);
  },
});
