/** What a key must be to be used, and to change something. */
import { AppError } from '../../messages/problems.ts';
import { refusalOf } from './authenticator.ts';
import { isAllowedFrom } from './key-networks.ts';
import type { Asker, FoundKey } from './key-store.ts';
import { isInForce, secretOf } from './keys.ts';

export interface UseOptions {
  /** Address of the client. */
  readonly ip: string | undefined;
  /** True: a suspended customer may do it, for example to pay. */
  readonly takesSuspended: boolean;
}

/** @throws AppError FORBIDDEN outside the networks of the key; PAYMENT_REQUIRED for a customer who is suspended. */
export function requireUsable(key: FoundKey, { ip, takesSuspended }: UseOptions): void {
  if (!isAllowedFrom(key.limits, ip)) {
    throw new AppError('FORBIDDEN', `this key may not be used from ${ip ?? 'this network'}: its networks are limited`, {
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
export function askerOf(keyId: string, hash: string, use: UseOptions): Asker {
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
