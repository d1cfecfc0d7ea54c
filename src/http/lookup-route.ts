import { json, Router, type ErrorRequestHandler, type RequestHandler, type Response } from 'express';
import type { Authenticator } from '../accounts/authenticator.ts';
import type { MeteredLookup } from '../accounts/metered-lookup.ts';
import { isAllowedFrom } from '../accounts/key-networks.ts';
import type { KeyUse } from '../accounts/key-use.ts';
import { quotaHeaders } from '../accounts/quota-state.ts';
import type { AskedTask, LookupDetail } from '../shared/contract/lookup.ts';
import { AppError } from '../shared/problems.ts';
import type { Admission } from './admission.ts';
import type { BadKeyLimit } from './bad-key-limit.ts';
import { clientNetwork } from './client-network.ts';
import { requestContextOf } from './request-context.ts';
import { lookupPaths, type LookupPath } from './lookup-paths.ts';
import { addressOf, detailOf, idempotencyKeyOf, pointOf } from './lookup-request.ts';
import { onlyMethods } from './problem.ts';
import { sendJson } from './send-json.ts';
import { traceParent } from './trace.ts';

export interface LookupContext {
  readonly authenticator: Authenticator;
  readonly keyUse: Pick<KeyUse, 'note'>;
  readonly lookups: MeteredLookup;
  readonly admission: Admission;
  /** Shared by all routes that take keys. */
  readonly badKeys: BadKeyLimit;
}

/** What every route with a key needs. */
export type KeyContext = Pick<LookupContext, 'authenticator' | 'keyUse' | 'admission' | 'badKeys'>;

const MAX_BODY_BYTES = 8 * 1024;

/** Reads what a body asks for. @throws AppError BAD_REQUEST that names the error. */
type ReadTask = (body: unknown, detail: LookupDetail & { readonly traceParent?: string }) => AskedTask;

const readTasks: Readonly<Record<LookupPath, ReadTask>> = {
  '/api/lookup': (body, detail) => ({ kind: 'address', ...detail, ...addressOf(body) }),
  '/api/lookup/point': (body, { full, geometry }) => ({
    ...{ kind: 'point', full, ...pointOf(body) },
    ...(geometry === undefined ? {} : { geometry }),
  }),
};

/**
 * `POST /api/lookup[/point][?detail=full]`: checks 401, then 403, then 402, then 503 when too many lookups are under way, then 400, 429
 * and the rest.
 */
export function lookupRoute(context: LookupContext): Router {
  const router = Router({ strict: true, caseSensitive: true });
  const before = [
    authenticate(context),
    refuseWhenFull(context),
    requireJson,
    json({ limit: MAX_BODY_BYTES, type: 'application/json', strict: false }),
  ];
  for (const path of lookupPaths) {
    router.route(path).post(before, answer(context, readTasks[path]), tellQuota(context)).all(onlyMethods('POST'));
  }
  return router;
}

/** Finds the key of a request, and refuses it when the key may not be used: 401, then 403, then 402. */
export function authenticate({ authenticator, keyUse, badKeys }: KeyContext): RequestHandler {
  return async (req, res, next) => {
    res.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    const requestContext = requestContextOf(res);
    const startMs = performance.now();
    try {
      // A good key is accepted from an address that also sends many bad keys.
      requestContext.key = await authenticator.authenticate(req.headers.authorization, () => {
        badKeys.check(clientNetwork(req.ip));
      });
    } catch (cause) {
      if (AppError.from(cause).code === 'UNAUTHORIZED') badKeys.note(clientNetwork(req.ip));
      throw cause;
    }
    requestContext.authMs = performance.now() - startMs;
    keyUse.note(requestContext.key.id);
    if (!isAllowedFrom(requestContext.key.limits, req.ip)) {
      throw new AppError(
        'FORBIDDEN',
        `this key may not be used from ${req.ip ?? 'this network'}: its networks are limited`,
      );
    }
    if (requestContext.key.isSuspended) {
      throw new AppError(
        'PAYMENT_REQUIRED',
        'earlier lookups of this customer could not be billed: contact the operator',
      );
    }
    next();
  };
}

/** Runs before the body is read and the limit is counted, so that a refusal costs almost nothing. */
export function refuseWhenFull({ admission }: Pick<KeyContext, 'admission'>): RequestHandler {
  return (_req, res, next) => {
    admission.check(requestContextOf(res).key!);
    next();
  };
}

export const requireJson: RequestHandler = (req, _res, next) => {
  if (!req.is('application/json')) {
    throw new AppError('BAD_REQUEST', 'send a body with Content-Type: application/json');
  }
  next();
};

function answer(context: LookupContext, readTask: ReadTask): RequestHandler {
  return async (req, res) => {
    const task = readTask(req.body, { ...detailOf(req.query), ...tracedBy(res) });
    sendJson(res, await runLookup(context, res, task));
  };
}

/** Lets a lookup's requests to others be part of the caller's trace. */
export function tracedBy(res: Response): { readonly traceParent?: string } {
  const { trace } = requestContextOf(res);
  return trace ? { traceParent: traceParent(trace) } : {};
}

/**
 * Runs a lookup for a request whose key is known: it is admitted, counted, billed and logged, its `Idempotency-Key` counts, and the answer
 * gets the headers of the limit and of the lookup.
 * @returns the body of the answer.
 * @throws what `Admission.during` and `MeteredLookup.answer` throw.
 */
export async function runLookup(
  { lookups, admission }: Pick<LookupContext, 'lookups' | 'admission'>,
  res: Response,
  task: AskedTask,
): Promise<string> {
  const requestContext = requestContextOf(res);
  requestContext.place = task.kind === 'address' ? { address: task.address } : { lat: task.lat, lon: task.lon };
  const idempotencyKey = idempotencyKeyOf(res.req.get('idempotency-key'));
  const key = requestContext.key!;
  const { json: body, fresh } = await admission.during(key, () =>
    lookups.answer({
      key,
      task,
      idempotencyKey,
      isGone: () => res.destroyed,
      onQuota: (state) => res.set(quotaHeaders(state)),
      times: requestContext,
    }),
  );
  if (fresh) {
    requestContext.lookupId = fresh.lookupId;
    res.setHeader('Lookup-Id', fresh.lookupId);
  } else {
    res.setHeader('Idempotent-Replayed', 'true');
  }
  return body;
}

/** Adds what the key has left to the answer of a request that cannot be read, which costs nothing. */
function tellQuota({ lookups }: LookupContext): ErrorRequestHandler {
  return async (cause: unknown, _req, res, next) => {
    const { key } = requestContextOf(res);
    // Skips the look-up for requests that are refused for their limit or for load.
    const isTooMany = cause instanceof AppError && (cause.code === 'RATE_LIMITED' || cause.code === 'DB_ERROR');
    if (key && !isTooMany && !res.hasHeader('RateLimit')) {
      res.set(quotaHeaders(await lookups.quotaOf(key)));
    }
    next(cause);
  };
}
