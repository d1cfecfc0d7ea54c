import { Router, type Request, type RequestHandler, type Response } from 'express';
import type { BatchStore } from '../../batches/batch-store.ts';
import { hasEnded, type BatchJob } from '../../batches/job.ts';
import { AppError } from '../../shared/problems.ts';
import type { BatchesBody } from '../../shared/wire/batch.ts';
import { requireNoQuery } from '../query.ts';
import { authenticate, type KeyContext } from '../key.ts';
import { onlyMethods } from '../problem.ts';
import { requestContextOf } from '../request-context.ts';
import { sendJson } from '../send-json.ts';
import { Slots } from '../slots.ts';
import { acceptBatch } from './accept-batch.ts';
import type { BatchContext } from './batch-context.ts';
import { pageOf } from './batch-request.ts';
import { describeBatch } from '../../batches/describe-batch.ts';
import { sendResults } from './send-results.ts';

/** Each upload holds a connection, and up to one chunk of rows in memory. A customer may have many keys. */
const UPLOADS = {
  most: 16,
  mostEach: 4,
  messages: { each: 'this client sends 4 batches already', all: 'too many batches are being sent' },
};

/**
 * `/api/batches`: many rows at once. Checks 401, then 403, then 402, then 403 of a key without batches, then the rest. A key sees its own batches
 * only. Nothing here counts against the hourly limit.
 */
export function batchRoute(context: KeyContext & { readonly batches: BatchContext }): Router {
  const { store } = context.batches;
  const slots = new Slots(UPLOADS);
  const known = authenticate(context);
  const router = Router({ strict: true, caseSensitive: true });
  router
    .route('/api/batches')
    .post(known, async (req, res) => {
      const { job, isReplayed } = await acceptBatch(context, slots, { req, res });
      if (isReplayed) res.setHeader('Idempotent-Replayed', 'true');
      res.setHeader('Location', `/api/batches/${job.id}`);
      sendBatch(res, job, 202);
    })
    .get(known, listBatches(store))
    .all(onlyMethods('GET', 'HEAD', 'POST'));
  router
    .route('/api/batches/:id')
    .get(known, async (req, res) => {
      requireNoQuery(req.query);
      sendBatch(res, await ownBatch(store, req, res));
    })
    .delete(known, async (req, res) => {
      requireNoQuery(req.query);
      await store.remove((await ownBatch(store, req, res)).id);
      res.status(204).end();
    })
    .all(onlyMethods('GET', 'HEAD', 'DELETE'));
  router
    .route('/api/batches/:id/results')
    .get(known, async (req, res) => sendResults(context.batches, await ownBatch(store, req, res), { req, res }))
    .all(onlyMethods('GET', 'HEAD'));
  router.route('/api/batches/:id/cancel').post(known, cancelBatch(store)).all(onlyMethods('POST'));
  return router;
}

function listBatches(store: BatchStore): RequestHandler {
  return async (req, res) => {
    const { limit, after } = pageOf(req.query);
    // One more tells whether there is a next page.
    const found = await store.list(requestContextOf(res).key!.id, { limit: limit + 1, after });
    const page = found.slice(0, limit);
    const nowMs = Date.now();
    const body: BatchesBody = {
      batches: page.map((job) => describeBatch(job, nowMs)),
      nextCursor: found.length > limit ? page.at(-1)!.id : null,
    };
    sendJson(res, JSON.stringify(body));
  };
}

function cancelBatch(store: BatchStore): RequestHandler {
  return async (req, res) => {
    requireNoQuery(req.query);
    const job = await ownBatch(store, req, res);
    if (hasEnded(job)) throw hasEndedAs(job);
    const cancelled = await store.cancel(job.id);
    if (!cancelled) throw noSuchBatch();
    if (!cancelled.isCancelled) throw hasEndedAs(cancelled);
    sendBatch(res, cancelled);
  };
}

/** @throws AppError NOT_FOUND also for the batch of another key, so that nobody learns which ids exist. */
async function ownBatch(store: BatchStore, req: Request, res: Response): Promise<BatchJob> {
  const { id } = req.params;
  const job = typeof id === 'string' ? await store.find(id) : null;
  if (job?.keyId !== requestContextOf(res).key!.id) throw noSuchBatch();
  requestContextOf(res).batchId = job.id;
  return job;
}

function hasEndedAs({ state }: BatchJob): AppError {
  return new AppError('CONFLICT', `this batch is ${state}: it cannot be cancelled`);
}

function noSuchBatch(): AppError {
  return new AppError('NOT_FOUND', 'this key has no such batch');
}

function sendBatch(res: Response, job: BatchJob, status = 200): void {
  const json = JSON.stringify(describeBatch(job, Date.now()));
  // Not `res.set`, which would add a charset that JSON does not have.
  res.setHeader('Content-Type', 'application/json');
  res.setHeader('Content-Length', Buffer.byteLength(json));
  res.status(status).end(json);
}
