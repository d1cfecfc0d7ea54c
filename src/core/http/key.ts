/** The checks of requests with a key, which come before their body is read. */
import type { Response } from 'express';
import { hashSent, refusalOf } from '../keys/authenticator.ts';
import type { Limited } from '../limits/limit-words.ts';
import { type Asker, type FoundKey, NO_LIMITS } from '../keys/key-store.ts';
import { AppError, unavailable } from '../../messages/problems.ts';
import { clientNetwork, isAllowedFrom } from '../settings/networks.ts';
import { requestContextOf } from './request-context.ts';
import type { Services } from './services.ts';
import { isInForce, secretOf } from '../keys/keys.ts';
import type { LoadKind } from '../pool/lookup-pool.ts';

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
  setPrivate(res);
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
  requireUsable(key, { from: req, takesSuspended });
  return key;
}

/** What a network may ask for per hour without a key. */
export interface NetworkLimit {
  readonly counts: Limited;
  readonly most: number;
}

/** Counts one for the network of a request. @throws AppError RATE_LIMITED with `Retry-After`. */
export async function countForNetwork(
  { quotas }: Pick<Services, 'quotas'>,
  { req }: Response,
  { counts, most }: NetworkLimit,
): Promise<void> {
  await quotas.of(counts).spend(clientNetwork(req.ip), most);
}

/** Sets the headers of answers that are for one client alone. */
export function setPrivate(res: Response): void {
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('X-Content-Type-Options', 'nosniff');
}

/** Finds who asks for a change, by the key as the store has it, which the handler gets. @throws AppError. */
export async function askerIn(
  res: Response,
  { takesSuspended = false }: AuthenticateOptions,
  { keys, authenticator }: Services,
): Promise<Asker> {
  const context = requestContextOf(res);
  const { ip, headers } = res.req;
  const hash = hashSent(headers.authorization) ?? '';
  // A request no longer tells its address once the client has left.
  const asker = askerOf(context.key!.id, hash, { from: { ip }, takesSuspended });
  try {
    context.key = await fromStore(keys.asking(asker));
    return asker;
  } catch (cause) {
    authenticator.forget([hash]);
    throw cause;
  }
}

/** Waits for the store of keys. @throws AppError: what the work throws, or DB_ERROR when the store does not answer. */
export async function fromStore<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw unavailable(isFull(cause) ? 'STORAGE_FULL' : 'KEYS_UNREACHABLE', 'the keys cannot be read or changed', {
      cause,
    });
  }
}

/** Keys in a file can be read on a full disk, and not changed. */
function isFull(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'SQLITE_FULL';
}

/** All who ask without a key: together they have the share of one key. */
export const ANYBODY = { id: 'anybody', limits: NO_LIMITS };

/** @throws AppError FORBIDDEN outside the networks of the key; PAYMENT_REQUIRED for a customer who is suspended. */
function requireUsable(
  key: FoundKey,
  {
    from,
    takesSuspended,
  }: {
    /** Read only for keys with networks: finding the address of a request takes longer than finding its key. */
    readonly from: { readonly ip?: string | undefined };
    /** True: a suspended customer may do it, for example to pay. */
    readonly takesSuspended: boolean;
  },
): void {
  if (key.limits.networks.length > 0 && !isAllowedFrom(key.limits, from.ip)) {
    const where = from.ip ?? 'this network';
    throw new AppError('FORBIDDEN', `this key may not be used from ${where}: its networks are limited`, {
      log: { reason: 'NETWORK' },
    });
  }
  if (!key.isSuspended || takesSuspended) return;
  throw new AppError(
    'PAYMENT_REQUIRED',
    'this customer is suspended, because it does not pay or earlier lookups could not be billed: see the portal of the payment processor, or contact the operator',
    key.suspendedAt === undefined ? {} : { extras: { since: key.suspendedAt } },
  );
}

/**
 * The secret of a key that asks for a change. It must be in force, and no rotation may have set its end: whoever has a key that leaked must not prolong it,
 * nor lock its owner out.
 * @param hash of the secret.
 */
function askerOf(keyId: string, hash: string, use: Parameters<typeof requireUsable>[1]): Asker {
  return {
    keyId,
    check(record) {
      if (!record || !isInForce(record, hash)) throw refusalOf(record, hash);
      requireUsable(record, use);
      const endsAt = secretOf(record, hash)?.expiresAt ?? null;
      if (endsAt === null) return record;
      throw new AppError(
        'FORBIDDEN',
        `this key was replaced and ends at ${endsAt}: changes need the one that replaced it`,
        { log: { reason: 'REPLACED' } },
      );
    },
  };
}

/**
 * Says which kind of lookup a URL asks for by its query, before the body is read. One that says so in the body, such as a tool's, or in other spelling,
 * counts as plain until its task is known (`kindOf`).
 */
export function kindOfUrl(url: string): LoadKind {
  return /[?&](geometry=(near|map)(&|$)|layers=)/.test(url) ? 'costly' : 'plain';
}
