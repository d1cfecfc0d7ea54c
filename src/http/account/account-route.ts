import { Router, type RequestHandler, type Response } from 'express';
import { changeOwnLimits, makeFurtherKey, revokeOtherKey, rotateOwnKey } from '../../accounts/own-keys.ts';
import type { FoundKey } from '../../accounts/key-store.ts';
import { AppError } from '../../shared/problems.ts';
import { HOUR_MS } from '../../shared/time.ts';
import type { NewKeyBody, PortalBody, RotatedKeyBody } from '../../shared/wire/account.ts';
import { requireNoQuery } from '../lookup-request.ts';
import { authenticate } from '../key.ts';
import { onlyMethods } from '../problem.ts';
import { sendJson } from '../send-json.ts';
import { fromStore, ownKey, ownSecret, spendChange, spendRequest, type AccountContext } from './account-context.ts';
import { body, optionalBody, wantedChange, wantedKey, wantedOverlap } from './account-request.ts';
import { describeAccount } from './describe-account.ts';
import { readUsage, usageCsv, wantedUsage } from './usage.ts';

/**
 * `/api/account…`: what the holder of a key sees and changes. It is not billed, and a suspended customer may use it, to pay. Checks 401,
 * then 403 of the network, then 400, 429 and the rest.
 */
export function accountRoute(context: AccountContext): Router {
  const router = Router({ strict: true, caseSensitive: true });
  const key = authenticate(context, { takesSuspended: true });
  router
    .route('/api/account')
    .get(key, show(context))
    .patch(key, body, change(context))
    .all(onlyMethods('GET', 'HEAD', 'PATCH'));
  router.route('/api/account/usage').get(key, usage(context)).all(onlyMethods('GET', 'HEAD'));
  router.route('/api/account/keys').post(key, optionalBody, makeKey(context)).all(onlyMethods('POST'));
  router.route('/api/account/keys/rotate').post(key, optionalBody, rotate(context)).all(onlyMethods('POST'));
  router.route('/api/account/keys/:id').delete(key, revoke(context)).all(onlyMethods('DELETE'));
  router.route('/api/account/portal').post(key, portal(context)).all(onlyMethods('POST'));
  return router;
}

function show(context: AccountContext): RequestHandler {
  return async (req, res) => {
    requireNoQuery(req.query);
    await spendRequest(context, res);
    await sendAccount(context, res, ownKey(res));
  };
}

function change(context: AccountContext): RequestHandler {
  return async (req, res) => {
    requireNoQuery(req.query);
    const wanted = wantedChange(req.body, req.ip);
    await spendRequest(context, res);
    await spendChange(context, res);
    const own = ownKey(res);
    const changed = await fromStore(changeOwnLimits(context.account.keys, own, wanted));
    await sendAccount(context, res, { ...changed, isSuspended: own.isSuspended });
  };
}

async function sendAccount(context: AccountContext, res: Response, own: FoundKey): Promise<void> {
  const asked = { own, secretMadeAt: ownSecret(res)?.createdAt ?? null, from: res.req.ip ?? '' };
  sendJson(res, JSON.stringify(await describeAccount(context, asked)));
}

function usage(context: AccountContext): RequestHandler {
  return async (req, res) => {
    const wanted = wantedUsage(req.query, new Date().toISOString().slice(0, 10));
    await spendRequest(context, res);
    const found = await readUsage(context, ownKey(res), wanted);
    res.vary('Accept');
    if (req.accepts(['application/json', 'text/csv']) !== 'text/csv') {
      sendJson(res, JSON.stringify(found));
      return;
    }
    res.setHeader('Content-Type', 'text/csv; charset=utf-8; header=present');
    res.setHeader('Content-Disposition', `attachment; filename="usage-${found.from}-${found.to}.csv"`);
    res.end(usageCsv(found));
  };
}

function makeKey(context: AccountContext): RequestHandler {
  return async (req, res) => {
    requireNoQuery(req.query);
    const own = ownKey(res);
    const { name = own.name } = wantedKey(req.body);
    await spendRequest(context, res);
    await spendChange(context, res);
    const { key, record } = await fromStore(makeFurtherKey(context.account.keys, own, name));
    const { id, createdAt, expiresAt } = record;
    sendJson(res, JSON.stringify({ key, id, name, createdAt, expiresAt } satisfies NewKeyBody), 201);
  };
}

function rotate(context: AccountContext): RequestHandler {
  return async (req, res) => {
    requireNoQuery(req.query);
    const overlapMs = wantedOverlap(req.body) * HOUR_MS;
    await spendRequest(context, res);
    await spendChange(context, res);
    const { key, record } = await fromStore(rotateOwnKey(context.account.keys, ownKey(res), overlapMs));
    const ends = record.secrets.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt]));
    const previousEndsAt = ends.sort().at(-1) ?? null;
    sendJson(res, JSON.stringify({ key, id: record.id, previousEndsAt } satisfies RotatedKeyBody));
  };
}

function revoke(context: AccountContext): RequestHandler<{ id: string }> {
  return async (req, res) => {
    requireNoQuery(req.query);
    await spendRequest(context, res);
    await spendChange(context, res);
    await fromStore(revokeOtherKey(context.account.keys, ownKey(res), req.params.id));
    res.status(204).end();
  };
}

function portal(context: AccountContext): RequestHandler {
  return async (req, res) => {
    requireNoQuery(req.query);
    await spendRequest(context, res);
    const { customer } = ownKey(res);
    if (!context.account.portal) throw new AppError('NOT_FOUND', 'this service has no payment processor');
    if (customer === null)
      throw new AppError('CONFLICT', 'this key has no customer at the payment processor, so there are no invoices');
    sendJson(res, JSON.stringify({ url: await context.account.portal.linkFor(customer) } satisfies PortalBody));
  };
}
