/** The checks of requests with a key, which come before their body is read. */
import type { RequestHandler, Response } from 'express';
import { isAllowedFrom } from '../accounts/keys/key-networks.ts';
import type { FoundKey } from '../accounts/keys/key-store.ts';
import { AppError } from '../shared/problems.ts';
import { clientNetwork } from './client-network.ts';
import { kindOfUrl } from './lookup-paths.ts';
import { requestContextOf } from './request-context.ts';
import type { Services } from './services.ts';

export interface AuthenticateOptions {
  /** True: a suspended customer may use the route, for example to pay. */
  readonly takesSuspended?: boolean;
}

/** Finds the key of a request, and refuses it when the key may not be used: 401, then 403, then 402. */
export async function requireKey(
  { authenticator, keyUse, badKeys }: Services,
  res: Response,
  { takesSuspended = false }: AuthenticateOptions = {},
): Promise<FoundKey> {
  const { req } = res;
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  const requestContext = requestContextOf(res);
  const startMs = performance.now();
  const { authorization } = req.headers;
  let key = authenticator.remembered(authorization);
  if (key === null) {
    try {
      // A good key is accepted from an address that also sends many bad keys.
      key = await authenticator.authenticate(authorization, () => {
        badKeys.check(clientNetwork(req.ip));
      });
    } catch (cause) {
      if (AppError.from(cause).code === 'UNAUTHORIZED') badKeys.note(clientNetwork(req.ip));
      throw cause;
    }
  }
  requestContext.key = key;
  requestContext.authMs = performance.now() - startMs;
  keyUse.note(key.id);
  // Not asked of each request: reading its address takes longer than finding its key.
  if (key.limits.networks.length > 0 && !isAllowedFrom(key.limits, req.ip)) {
    throw new AppError(
      'FORBIDDEN',
      `this key may not be used from ${req.ip ?? 'this network'}: its networks are limited`,
      { log: { reason: 'NETWORK' } },
    );
  }
  if (key.isSuspended && !takesSuspended) {
    throw new AppError(
      'PAYMENT_REQUIRED',
      'this customer is suspended, because it does not pay or earlier lookups could not be billed: see the portal of the payment processor, or contact the operator',
      key.suspendedAt === undefined ? {} : { extras: { since: key.suspendedAt } },
    );
  }
  return key;
}

/** Does the same as `requireKey` before the next handler. */
export function authenticate(services: Services, options?: AuthenticateOptions): RequestHandler {
  return async (_req, res, next) => {
    await requireKey(services, res, options);
    next();
  };
}

/** Runs before the body is read and the limit is counted, so that a refusal costs almost nothing. */
export function refuseWhenFull({ admission }: Pick<Services, 'admission'>): RequestHandler {
  return ({ originalUrl }, res, next) => {
    admission.check(requestContextOf(res).key!, kindOfUrl(originalUrl));
    next();
  };
}
