import { batchesPart } from '../part.ts';
import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { takeIn, type TakenIn } from '../intake.ts';
import { createBatchId, type BatchJob } from '../job.ts';
import type { FoundKey } from '../../../core/keys/key-store.ts';
import { AppError } from '../../../messages/problems.ts';
import type { BatchQuery } from '../wire/batch.ts';
import { idempotencyKeyOf } from '../../../core/http/lookup-request.ts';
import { askForBody } from '../../../core/http/read-body.ts';
import { requestContextOf } from '../../../core/http/request-context.ts';
import type { Services } from '../../../core/http/services.ts';
import { takesUpload } from '../../../core/http/slow-clients.ts';
import {
  askedBatchOf,
  askedRowsOf,
  uploadFormatOf,
  type AskedBatch,
  type AskedRows,
  type UploadFormat,
} from './batch-request.ts';
import { checkUpload, noteUpload } from './refused-uploads.ts';

/** Each upload holds a connection, and up to one chunk of rows in memory. A customer may have many keys. */
export const UPLOADS = {
  most: 16,
  mostEach: 4,
  messages: { each: 'this client sends 4 batches already', all: 'too many batches are being sent' },
};

interface AcceptedBatch {
  readonly job: BatchJob;
  /** The batch was made by an earlier request with the same `Idempotency-Key`. */
  readonly isReplayed: boolean;
}

/** @throws AppError FORBIDDEN for a key without an allowance. */
export function requireAllowance({ limits }: FoundKey): void {
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
export async function acceptBatch(
  services: Services,
  query: BatchQuery,
  { req, res }: { readonly req: Request; readonly res: Response },
): Promise<AcceptedBatch> {
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
            : { key: idempotencyKey, requestHash: hashOf(asked, { ...file, query }, taken) },
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
  { format, addressColumns, query: { vintage } }: UploadFormat & AskedRows & { readonly query: BatchQuery },
  { sha256 }: TakenIn,
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
