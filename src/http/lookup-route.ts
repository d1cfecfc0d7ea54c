import { json, Router, type ErrorRequestHandler, type RequestHandler, type Response } from 'express';
import type { Authenticator } from '../accounts/authenticator.ts';
import type { KeyRecord } from '../accounts/key-store.ts';
import type { Quota } from '../accounts/quota.ts';
import { quotaHeaders } from '../accounts/quota-state.ts';
import type { LookupAnswer, LookupTask } from '../contract/lookup.ts';
import type { LookupPool } from '../pool/lookup-pool.ts';
import { AppError } from '../problems.ts';
import { BadKeyLimit } from './bad-key-limit.ts';
import { clientNetwork } from './client-network.ts';
import { exchangeOf } from './exchange.ts';
import { addressOf, detailOf } from './lookup-request.ts';
import { onlyMethods } from './problem.ts';

export interface LookupContext {
  readonly authenticator: Authenticator;
  readonly quota: Quota;
  /** The limit of a key that has none of its own. */
  readonly limitPerHour: number;
  readonly pool: Pick<LookupPool, 'lookup'>;
}

const MAX_BODY_BYTES = 8 * 1024;

/** `POST /api/lookup[?detail=full]`: 401 before 400 before 429 before the rest (architecture, section 7). */
export function lookupRoute(context: LookupContext): Router {
  const router = Router({ strict: true, caseSensitive: true });
  router
    .route('/api/lookup')
    .post(
      authenticate(context),
      requireJson,
      json({ limit: MAX_BODY_BYTES, type: 'application/json', strict: false }),
      answer(context),
      tellQuota(context),
    )
    .all(onlyMethods('POST'));
  return router;
}

function authenticate({ authenticator }: LookupContext): RequestHandler {
  const badKeys = new BadKeyLimit();
  return async (req, res, next) => {
    res.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    const authorization = req.get('authorization');
    const client = clientNetwork(req.ip);
    // A good key gets through from an address that others flood from.
    if (!authenticator.isKnown(authorization)) badKeys.check(client);
    try {
      exchangeOf(res).key = await authenticator.authenticate(authorization);
    } catch (cause) {
      if (AppError.from(cause).code === 'UNAUTHORIZED') badKeys.note(client);
      throw cause;
    }
    next();
  };
}

const requireJson: RequestHandler = (req, _res, next) => {
  if (!req.is('application/json')) {
    throw new AppError('BAD_REQUEST', 'send a body with Content-Type: application/json');
  }
  next();
};

function answer(context: LookupContext): RequestHandler {
  return async (req, res) => {
    const exchange = exchangeOf(res);
    const task: LookupTask = { kind: 'address', ...detailOf(req.query), address: addressOf(req.body) };
    exchange.address = task.address;
    const { json: body, geocodeMs, layersMs } = await spendAndLookUp(context, task, res);
    Object.assign(exchange, { geocodeMs, layersMs });
    // Not `res.set`, which would add a charset that JSON does not have.
    res.setHeader('Content-Type', 'application/json');
    res.setHeader('Content-Length', Buffer.byteLength(body));
    res.status(200).end(body);
  };
}

async function spendAndLookUp(context: LookupContext, task: LookupTask, res: Response): Promise<LookupAnswer> {
  const key = exchangeOf(res).key!;
  const spending = await context.quota.spend(key.id, limitOf(context, key));
  res.set(quotaHeaders(spending.state));
  try {
    return await context.pool.lookup(task);
  } catch (cause) {
    // A failure of ours costs the client nothing.
    if (AppError.from(cause).status >= 500) res.set(quotaHeaders(await spending.giveBack()));
    throw cause;
  }
}

/** A request that cannot be read costs nothing, and still says what its key has left. */
function tellQuota(context: LookupContext): ErrorRequestHandler {
  return async (cause: unknown, _req, res, next) => {
    const { key } = exchangeOf(res);
    if (key && !res.hasHeader('RateLimit') && AppError.from(cause).code !== 'RATE_LIMITED') {
      res.set(quotaHeaders(await context.quota.peek(key.id, limitOf(context, key))));
    }
    next(cause);
  };
}

function limitOf({ limitPerHour }: LookupContext, key: KeyRecord): number {
  return key.limitPerHour ?? limitPerHour;
}
