import type { RequestHandler, Response } from 'express';
import { type QuotaState, quotaHeaders } from '../limits/limit-words.ts';
import { kindOf } from '../pool/lookup-pool.ts';
import type { AskedTask, LookupDetail } from '../../messages/lookup.ts';
import { AppError } from '../../messages/problems.ts';
import type { FoundKey } from '../keys/key-store.ts';
import { type DocumentedLookup, addressLookup, pointLookup, queryKindOf } from '../openapi/lookup-operations.ts';
import type { BeginRequest } from './request-log.ts';
import { requireKey, kindOfUrl } from './key.ts';
import { gone, LONG_ANSWER, sendJson } from './send-answer.ts';
import { requestContextOf, traceParent } from './request-context.ts';
import { addressOf, detailReader, idempotencyKeyOf, pointOf } from './lookup-request.ts';
import { type JsonBodyOptions, checkJson, mayBeLarge, readJson } from './read-body.ts';
import type { Services } from './services.ts';

/** Largest body in bytes. */
const MOST_BYTES = 8 * 1024;

/** A way to ask for a lookup. */
export interface LookupRoute extends DocumentedLookup, JsonBodyOptions {
  /** Each of its lookups is a costly one, whatever it asks for beside the answer. */
  readonly isCostly?: boolean;
  /** Reads what a request asks for. @throws AppError BAD_REQUEST that names the error. */
  readonly read: (body: unknown, detail: LookupDetail, traced: Traced) => AskedTask;
}

type Traced = Pick<AskedTask & { readonly kind: 'address' }, 'traceParent'>;

/** The lookups that are always there. They share key, limit, queue and bill with those of features. */
export const ownLookupRoutes: readonly LookupRoute[] = [
  {
    ...addressLookup,
    mostBytes: MOST_BYTES,
    example: '{"address": "<street address>, <city>, ON"}',
    read: (body, detail, traced) => ({ kind: 'address', ...detail, ...traced, ...addressOf(body) }),
  },
  {
    ...pointLookup,
    mostBytes: MOST_BYTES,
    example: '{"lat": 44.1, "lon": -78.6}',
    read: (body, detail) => ({ kind: 'point', ...detail, ...pointOf(body) }),
  },
];

/**
 * A lookup: checks 401, then 403, then 402, then 503 when too many lookups are under way, then 400, 429
 * and the rest. It is the whole way of a lookup through the app in one handler, because each further handler of Express costs some microseconds.
 */
export function lookupHandler(services: Services, route: LookupRoute, begin: BeginRequest): RequestHandler {
  const { read, docs, isCostly = false, ...body } = route;
  const { gate, refusedRequests } = services;
  const readDetail = detailReader(queryKindOf(docs), services);
  const withoutQuery = readDetail({});
  const hasLargeBodies = body.shape !== undefined;
  return async (req, res) => {
    begin(req, res);
    try {
      const key = await requireKey(services, res);
      gate.check(key, isCostly ? 'costly' : kindOfUrl(req.originalUrl));
      refusedRequests.check(key.id);
      checkJson(req);
      if (hasLargeBodies && mayBeLarge(req)) await refuseUsedUp(services, res, key);
      const sent = await readJson(services, res, body);
      // Express reads a query with each access, and also one that is not there.
      const detail = req.originalUrl.includes('?') ? readDetail(req.query) : withoutQuery;
      const task = read(sent, detail, tracedBy(res));
      const json = await runLookup(services, res, task);
      sendJson(res, json);
      // Nobody asks for many long answers and reads none.
      if (json.length > LONG_ANSWER) await gate.keep(key, kindOf(task), gone(res));
    } catch (cause) {
      await tellQuota(services, res, cause);
      throw cause;
    }
  };
}

/**
 * Refuses a key that has nothing left before a large body is read. One with an `Idempotency-Key` may get an earlier answer, and one with a limit per
 * second reaches that first. A small body is read sooner than Redis says what is left.
 */
async function refuseUsedUp({ lookups }: Services, res: Response, key: FoundKey): Promise<void> {
  if (res.req.headers['idempotency-key'] !== undefined || key.limits.burstPerS !== null) return;
  const { refusal, quota } = await lookups.leftOf(key);
  if (refusal === null) return;
  tellState(res, quota);
  throw refusal;
}

/** Lets a lookup's requests to others be part of the caller's trace. */
export function tracedBy(res: Response): Traced {
  const { trace } = requestContextOf(res);
  return trace ? { traceParent: traceParent(trace) } : {};
}

/**
 * Runs a lookup for a request whose key is known: it is admitted, counted, billed and logged, its `Idempotency-Key` counts, and the answer
 * gets the headers of the limit and of the lookup.
 * @param more `onAnswer` is called with the body before it is recorded, and may refuse the request with BAD_REQUEST.
 * @returns the body of the answer.
 * @throws what `Gate.during` and `MeteredLookup.answer` throw.
 */
export async function runLookup(
  { lookups, gate }: Services,
  res: Response,
  task: AskedTask,
  { onAnswer, besides }: Pick<Parameters<Services['lookups']['answer']>[0], 'onAnswer' | 'besides'> = {},
): Promise<string> {
  const requestContext = requestContextOf(res);
  requestContext.task = task;
  const idempotencyKey = idempotencyKeyOf(res.req.get('idempotency-key'));
  const key = requestContext.key!;
  const kind = kindOf(task);
  const {
    json: body,
    vintage,
    fresh,
  } = await gate.during(key, kind, () =>
    lookups.answer({
      key,
      task,
      caller: { keyId: key.id, kind, isGone: () => res.destroyed },
      idempotencyKey,
      onQuota: (state) => {
        tellState(res, state);
      },
      onAnswer,
      besides,
      times: requestContext,
    }),
  );
  if (vintage !== null) res.setHeader('Land-Vintage', vintage);
  if (fresh) {
    requestContext.lookupId = fresh.lookupId;
    res.setHeader('Lookup-Id', fresh.lookupId);
  } else {
    res.setHeader('Idempotent-Replayed', 'true');
  }
  return body;
}

/** Adds what the key has left to the answer of a request that cannot be read, which costs nothing. */
async function tellQuota({ lookups }: Services, res: Response, cause: unknown): Promise<void> {
  const { key } = requestContextOf(res);
  // Skips the look-up for requests that are refused for their limit or for load.
  const isTooMany = cause instanceof AppError && (cause.code === 'RATE_LIMITED' || cause.code === 'DB_ERROR');
  if (key && !isTooMany && !res.hasHeader('RateLimit')) tellState(res, await lookups.quotaOf(key));
}

function tellState(res: Response, state: QuotaState): void {
  for (const [name, value] of Object.entries(quotaHeaders(state))) res.setHeader(name, value);
}
