/** `/api/batches…`: what a key sees of its batches, and ends. Nothing here counts against the hourly limit of lookups. */
import { batchesPart } from '../runner.ts';
import type { BatchStore } from '../batch-store.ts';
import { hasEnded, markOf, type BatchJob } from '../job.ts';
import { batchContent, exampleBatch } from '../wire/batch-contents.ts';
import { commonHeaders } from '../../../core/openapi/responses.ts';
import { AppError, unavailable } from '../../../messages/problems.ts';
import { batchesSchema, DEFAULT_LISTED, type BatchesBody, type BatchListQuery, type BatchBody } from '../wire/batch.ts';
import { asList, sendJson } from '../../../core/http/send-answer.ts';
import { requestContextOf } from '../../../core/http/request-context.ts';
import { NOT_REPLACED, route, spendFree } from '../../../core/http/route.ts';
import { listQuery } from './batch-request.ts';
import { totalOf } from '../rows/row.ts';
import type { Request, Response } from 'express';

/** The parameter of the path. */
export const batchId = { id: { type: 'string', description: 'Id of a batch of this key.' } };

const theBatch = { 200: { description: 'The batch.', headers: commonHeaders, content: batchContent } };

export const listBatches = route<BatchListQuery>({
  method: 'get',
  path: '/api/batches',
  key: {},
  query: listQuery,
  limits: [spendFree],
  takesPlace: asList,
  docs: {
    operationId: 'listBatches',
    tag: 'batches',
    summary: 'List the batches of this key',
    description: 'The newest first. Costs nothing.',
    schemas: { Batches: batchesSchema },
    answers: {
      200: {
        description: 'A page of batches.',
        headers: commonHeaders,
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Batches' },
            example: { batches: [exampleBatch], nextCursor: null },
          },
        },
      },
    },
  },
  async handle({ services, res, query: { limit = DEFAULT_LISTED, cursor = null } }) {
    // One more tells whether there is a next page.
    const asked = { limit: limit + 1, after: cursor };
    const found = await services.parts.of(batchesPart).store.list(requestContextOf(res).key!.id, asked);
    const page = found.slice(0, limit);
    const nowMs = Date.now();
    const body: BatchesBody = {
      batches: page.map((job) => describeBatch(job, nowMs)),
      nextCursor: found.length > limit ? page.at(-1)!.id : null,
    };
    sendJson(res, JSON.stringify(body));
  },
});

export const showBatch = route({
  method: 'get',
  path: '/api/batches/:id',
  key: {},
  docs: {
    operationId: 'showBatch',
    tag: 'batches',
    summary: 'Show the state and the progress of a batch',
    description: 'Costs nothing.',
    path: batchId,
    answers: theBatch,
    failures: ['NOT_FOUND'],
  },
  async handle({ services, req, res }) {
    sendBatch(res, await ownBatch(services.parts.of(batchesPart).store, req, res));
  },
});

export const deleteBatch = route({
  method: 'delete',
  path: '/api/batches/:id',
  key: {},
  changes: true,
  docs: {
    operationId: 'deleteBatch',
    tag: 'batches',
    summary: 'Delete a batch with its rows and results',
    description:
      'At once, and in any state. A batch that runs is cancelled. Rows that were answered stay billed. ' + NOT_REPLACED,
    path: batchId,
    answers: { 204: { description: 'It is deleted.', headers: commonHeaders } },
    failures: ['NOT_FOUND'],
  },
  async handle({ services, req, res }) {
    const { store } = services.parts.of(batchesPart);
    await store.remove((await ownBatch(store, req, res)).id);
    res.status(204).end();
  },
});

export const cancelBatch = route({
  method: 'post',
  path: '/api/batches/:id/cancel',
  key: {},
  changes: true,
  docs: {
    operationId: 'cancelBatch',
    tag: 'batches',
    summary: 'Cancel a batch',
    description:
      'Rows that were answered stay, and are billed. Up to 1,000 rows at a time are under way; these are still answered, and then the batch is `cancelled`. The allowance gets the other rows back. ' +
      NOT_REPLACED,
    path: batchId,
    answers: theBatch,
    failures: ['NOT_FOUND', 'CONFLICT'],
  },
  async handle({ services, req, res }) {
    const { store } = services.parts.of(batchesPart);
    const job = await ownBatch(store, req, res);
    if (hasEnded(job)) throw hasEndedAs(job);
    const cancelled = await store.cancel(job.id);
    if (!cancelled) throw noSuchBatch();
    if (!cancelled.isCancelled) throw hasEndedAs(cancelled);
    sendBatch(res, cancelled);
  },
});

/**
 * @throws AppError NOT_FOUND also for the batch of another key, so that nobody learns which ids exist; DB_ERROR for an id with the mark of another
 * machine, whoever asks and whether it exists or not: a 404 would let clients send their file again, and pay twice.
 */
export async function ownBatch(store: BatchStore, req: Request, res: Response): Promise<BatchJob> {
  const { id } = req.params as { readonly id: string };
  const job = await store.find(id);
  if (job?.keyId !== requestContextOf(res).key!.id) {
    requireHere(id, store);
    throw noSuchBatch();
  }
  requestContextOf(res).batchId = job.id;
  return job;
}

function hasEndedAs({ state }: BatchJob): AppError {
  return new AppError('CONFLICT', `this batch is ${state}: it cannot be cancelled`);
}

/** @throws AppError DB_ERROR when the id has the mark of another machine, which alone knows what became of the batch. */
function requireHere(id: string, { mark }: Pick<BatchStore, 'mark'>): void {
  const machine = markOf(id);
  if (machine === null || machine === mark) return;
  throw unavailable('ELSEWHERE', `batch ${id} is kept by the machine ${machine}, and this one is ${mark}`, { machine });
}

function noSuchBatch(): AppError {
  return new AppError('NOT_FOUND', 'this key has no such batch');
}

export function sendBatch(res: Response, job: BatchJob, status = 200): void {
  sendJson(res, JSON.stringify(describeBatch(job, Date.now())), status);
}

/** Returns a batch as clients see it. */
export function describeBatch(job: BatchJob, nowMs: number): BatchBody {
  const {
    id,
    state,
    rows: total,
    counts,
    snapshot,
    detail,
    further,
    createdAt,
    expiresAt,
    error,
    ignoredColumns,
  } = job;
  const rate = rateOf(job, nowMs);
  return {
    id,
    state,
    rows: { total, done: totalOf(counts), ...counts },
    ratePerS: rate === null ? null : Math.round(rate * 10) / 10,
    endsAt: endOf(job, rate, nowMs),
    snapshot,
    detail,
    layers: [...further],
    createdAt,
    expiresAt,
    error,
    ignoredColumns: [...ignoredColumns],
  };
}

/** Rows per second; null when nothing tells. The end of an expired batch is that of its results. */
function rateOf({ state, counts, startedAt, endedAt }: BatchJob, nowMs: number): number | null {
  const done = totalOf(counts);
  if (startedAt === null || done === 0 || state === 'expired') return null;
  const untilMs = endedAt === null ? nowMs : Date.parse(endedAt);
  return (done / Math.max(1, untilMs - Date.parse(startedAt))) * 1000;
}

function endOf(job: BatchJob, rate: number | null, nowMs: number): string | null {
  if (job.state === 'expired') return null;
  if (hasEnded(job)) return job.endedAt;
  if (rate === null || job.isCancelled) return null;
  return new Date(nowMs + ((job.rows - totalOf(job.counts)) / rate) * 1000).toISOString();
}
