import type { TProperties } from 'typebox';
import { batchContent, uploadBody } from '../wire/batch-contents.ts';
import { commonHeaders, header, parameter, problemResponses } from '../../../core/openapi/responses.ts';
import { batchInputRowSchema } from '../wire/batch-rows.ts';
import { batchSchema, type BatchQuery } from '../wire/batch.ts';
import { idempotencyKeySchema } from '../../../messages/wire/lookup.ts';
import { route } from '../../../core/http/route.ts';
import { batchQuery, askedBatchOf, askedRowsOf, uploadFormatOf, type AskedBatch } from './batch-request.ts';
import { sendBatch } from './batches.ts';
import { batchesPart } from '../runner.ts';
import { takeIn } from '../intake.ts';
import type { RowsFormat } from '../rows/read-rows.ts';
import { createBatchId, type BatchJob } from '../job.ts';
import type { FoundKey } from '../../../core/keys/key-store.ts';
import { AppError } from '../../../messages/problems.ts';
import { idempotencyKeyOf } from '../../../core/http/lookup-request.ts';
import { askForBody } from '../../../core/http/read-body.ts';
import { requestContextOf } from '../../../core/http/request-context.ts';
import type { Services } from '../../../core/http/services.ts';
import { takesUpload } from '../../../core/http/slow-clients.ts';
import { DAY_S, type Limited } from '../../../core/limits/limit-words.ts';
import type { Quotas } from '../../../core/limits/quota.ts';
import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';

/** The answer where a vintage was pruned. */
const goneVintage = {
  ...problemResponses['Gone'],
  headers: {
    ...(problemResponses['Gone']!['headers'] as object),
    Link: {
      ...{ required: true, schema: { type: 'string' } },
      description: 'The licences, and with rel="latest-version" the same by the snapshot in service.',
    },
  },
};

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

/** Each upload holds a connection, and up to one chunk of rows in memory. A customer may have many keys. */
export const UPLOADS = {
  most: 16,
  mostEach: 4,
  messages: { each: 'this client sends 4 batches already', all: 'too many batches are being sent' },
};

/** @throws AppError FORBIDDEN for a key without an allowance. */
function requireAllowance({ limits }: FoundKey): void {
  // Keys that were remembered by an earlier version have no such limit.
  if (limits.batchRowsPerDay > 0) return;
  throw new AppError('FORBIDDEN', 'this key has no batches: the operator can give it rows per day for them', {
    log: { reason: 'NO_BATCHES' },
  });
}

/** Refuses, before it is read, the upload of a client that sent too much for nothing. */
async function requireUseful({ refusedRequests, quotas }: Services, { id, customer }: FoundKey): Promise<void> {
  refusedRequests.check(id);
  await checkUpload(quotas, customer ?? id);
}

/**
 * Receives an upload and makes a batch of it, which is on the disk when this resolves.
 * @throws AppError BAD_REQUEST, TOO_LARGE, and what `BatchStore.create` throws.
 */
async function acceptBatch(
  services: Services,
  query: BatchQuery,
  { req, res }: { readonly req: Request; readonly res: Response },
): Promise<{
  readonly job: BatchJob;
  /** The batch was made by an earlier request with the same `Idempotency-Key`. */
  readonly isReplayed: boolean;
}> {
  const key = requestContextOf(res).key!;
  const { batchRowsPerDay: rowsPerDay } = key.limits;
  const asked = await askedBatchOf(query, services);
  const file = { ...uploadFormatOf(req), ...askedRowsOf(query) };
  const idempotencyKey = idempotencyKeyOf(req.get('idempotency-key'));
  const { snapshots, readArea } = services;
  const { store, runner, uploads } = services.parts.of(batchesPart);
  await requireUseful(services, key);
  return await uploads.during(key.customer ?? key.id, async () => {
    takesUpload(req);
    const nowMs = Date.now();
    const id = createBatchId(nowMs, store.mark);
    const input = await store.receive(id);
    let readBytes = 0;
    const onBytes = (bytes: number): void => {
      readBytes += bytes;
    };
    try {
      askForBody(req, res);
      // The iterator leaves the request open when reading stops, so that the refusal can be sent.
      const source = req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
      const taken = await takeIn(source, { ...file, readArea, input, onBytes });
      const batch = {
        id,
        keyId: key.id,
        customer: key.customer,
        ...asked,
        rows: taken.rows,
        inputBytes: taken.bytes,
        ignoredColumns: taken.ignoredColumns,
        snapshot: asked.snapshot ?? snapshots.manifest.id,
        createdAt: new Date().toISOString(),
        idempotency:
          idempotencyKey === null
            ? null
            : { key: idempotencyKey, requestHash: hashOf(asked, { ...file, ...query }, taken.sha256) },
        rowsPerDay,
      };
      const job = await store.create(batch, input);
      runner.wake();
      requestContextOf(res).batchId = job.id;
      return { job, isReplayed: job.id !== id };
    } catch (cause) {
      if (AppError.from(cause).status < 500) await noteUpload(services.quotas, key.customer ?? key.id, readBytes);
      await input.discard();
      throw cause;
    }
  });
}

/** Identifies a request among those of one `Idempotency-Key`. */
function hashOf(
  { detail, further, members, callbackUrl }: AskedBatch,
  {
    format,
    addressColumns,
    vintage,
  }: { readonly format: RowsFormat; readonly addressColumns?: readonly string[] } & Pick<BatchQuery, 'vintage'>,
  sha256: string,
): string {
  const given = {
    ...(further.length > 0 ? { further } : {}),
    ...(addressColumns ? { addressColumns } : {}),
    ...(vintage === undefined ? {} : { vintage }),
    ...(Object.keys(members).length > 0 ? { members } : {}),
  };
  const rest = Object.keys(given).length > 0 ? [given] : [];
  return createHash('sha256')
    .update(JSON.stringify([detail, callbackUrl, format, sha256, ...rest]))
    .digest('hex');
}

/** Of uploads that became no batch, per day: four of the largest. */
export const UPLOADED_MB_PER_DAY = 1024;

export const uploadLimit: Limited = {
  name: 'refused-uploads',
  may: (limit) => `send ${limit} MiB that become no batch`,
  holder: 'client',
  reason: 'REFUSED_REQUESTS',
  windowS: DAY_S,
};

/**
 * @param sender a customer, or a key without one.
 * @throws AppError RATE_LIMITED when no more uploads of the sender are read.
 */
async function checkUpload(quotas: Quotas, sender: string): Promise<void> {
  const quota = quotas.of(uploadLimit);
  const state = await quota.peek(sender, UPLOADED_MB_PER_DAY);
  if (state.remaining === 0) throw quota.refusal(state);
}

/** Counts the bytes of an upload that became no batch: it is not billed, but reading it took time (docs/decisions/0259). Never fails. */
async function noteUpload(quotas: Quotas, sender: string, bytes: number): Promise<void> {
  const quota = quotas.of(uploadLimit);
  const { remaining } = await quota.peek(sender, UPLOADED_MB_PER_DAY);
  const megabytes = Math.min(Math.ceil(bytes / (1 << 20)), remaining);
  // Another upload may have used up what was left.
  if (megabytes > 0) await quota.spend(sender, UPLOADED_MB_PER_DAY, megabytes).catch(() => undefined);
}
