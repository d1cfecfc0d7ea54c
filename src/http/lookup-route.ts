import { json, Router, type Request, type RequestHandler, type Response } from 'express';
import type { Authenticator } from '../accounts/authenticator.ts';
import type { KeyRecord } from '../accounts/key-store.ts';
import type { Quota, Spending } from '../accounts/quota.ts';
import { quotaHeaders } from '../accounts/quota-state.ts';
import type { LookupAnswer, LookupTask } from '../contract/lookup.ts';
import type { LookupPool } from '../pool/lookup-pool.ts';
import { AppError } from '../problems.ts';
import { exchangeOf } from './exchange.ts';
import { addressOf, wantsFullDetail } from './lookup-request.ts';
import { onlyMethods } from './problem.ts';

export interface LookupContext {
  readonly authenticator: Authenticator;
  readonly quota: Quota;
  /** The limit of a key that has none of its own. */
  readonly limitPerHour: number;
  readonly pool: Pick<LookupPool, 'lookup'>;
}

const MAX_BODY_BYTES = 8 * 1024;

const parseJson = json({ limit: MAX_BODY_BYTES, type: 'application/json', strict: false });

/** `POST /api/lookup[?detail=full]`: 401 before 400 before 429 before the rest (architecture, section 7). */
export function lookupRoute(context: LookupContext): Router {
  const answer: RequestHandler = async (req, res) => {
    res.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    const key = await context.authenticator.authenticate(req.get('authorization'));
    exchangeOf(res).keyId = key.id;
    const task = await readTask(context, key, req, res);
    const { json: body } = await spendAndLookUp(context, key, task, res);
    res.set({ 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) });
    res.status(200).end(body);
  };
  const router = Router();
  router.route('/api/lookup').post(answer).all(onlyMethods('POST'));
  return router;
}

/** What the request asks for. A request that cannot be read costs nothing, and still says what its key has left. */
async function readTask(context: LookupContext, key: KeyRecord, req: Request, res: Response): Promise<LookupTask> {
  try {
    await readBody(req, res);
    const task: LookupTask = { kind: 'address', full: wantsFullDetail(req.query), address: addressOf(req.body) };
    exchangeOf(res).address = task.address;
    return task;
  } catch (cause) {
    res.set(quotaHeaders(await context.quota.peek(key.id, limitOf(context, key))));
    throw cause;
  }
}

async function readBody(req: Request, res: Response): Promise<void> {
  if (req.is('application/json') === false) {
    throw new AppError('BAD_REQUEST', 'send the body as Content-Type: application/json');
  }
  await new Promise<void>((resolve, reject) => {
    parseJson(req, res, (cause?: unknown) => {
      if (cause === undefined) resolve();
      else reject(cause instanceof Error ? cause : new Error(String(cause)));
    });
  });
}

async function spendAndLookUp(
  context: LookupContext,
  key: KeyRecord,
  task: LookupTask,
  res: Response,
): Promise<LookupAnswer> {
  const spending = await context.quota.spend(key.id, limitOf(context, key));
  res.set(quotaHeaders(spending.state));
  try {
    const found = await context.pool.lookup(task);
    const { geocodeMs, layersMs } = found;
    Object.assign(exchangeOf(res), { geocodeMs, layersMs });
    return found;
  } catch (cause) {
    if (AppError.from(cause).status >= 500) await giveBack(spending, res);
    throw cause;
  }
}

/** A failure of ours costs the client nothing. */
async function giveBack(spending: Spending, res: Response): Promise<void> {
  res.set(quotaHeaders(await spending.giveBack()));
}

function limitOf({ limitPerHour }: LookupContext, key: KeyRecord): number {
  return key.limitPerHour ?? limitPerHour;
}
