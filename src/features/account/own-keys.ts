/** What the holder of a key may do with it and with the other keys of its customer. */
import { AppError, badRequest } from '../../messages/problems.ts';
import type { Asker, FoundKey, KeyLimits, KeyRecord, KeyStore } from '../../core/keys/key-store.ts';
import {
  isKeyInForce,
  issueKeyFor,
  revokeKey,
  rotateKey,
  secretsInForce,
  setKey,
  type IssuedKey,
} from '../../core/keys/keys.ts';

/** Most keys of a customer that are in force. */
export const MOST_KEYS = 5;

/** Most secrets of a key at once: the present one and those whose overlap lasts. */
const MOST_SECRETS = 5;

/** Returns the keys of a key's customer that are in force, oldest first; the key alone when it has no customer. */
async function keysInForce(store: Pick<KeyStore, 'listOf'>, own: KeyRecord): Promise<readonly KeyRecord[]> {
  return (await keysEver(store, own)).filter(isKeyInForce);
}

/** The same, with those that were revoked or have expired. */
export async function keysEver(store: Pick<KeyStore, 'listOf'>, own: KeyRecord): Promise<readonly KeyRecord[]> {
  return own.customer === null ? [own] : await store.listOf(own.customer);
}

/** Says why a key may make no further keys; null when it may, as long as there are not too many. */
function noFurtherKeys({ customer, limits, isSuspended }: FoundKey): AppError | null {
  if (isSuspended) return new AppError('PAYMENT_REQUIRED', 'a suspended customer gets no further keys: pay first');
  if (customer === null) {
    return new AppError('FORBIDDEN', 'this key has no paying customer: ask the operator for further keys', {
      log: { reason: 'NO_CUSTOMER' },
    });
  }
  if (limits.budgetPerMonth === null) return null;
  return new AppError('FORBIDDEN', 'the operator set the budget of this key: ask the operator for further keys', {
    log: { reason: 'OPERATOR_BUDGET' },
  });
}

/**
 * Makes a further key of the same customer, with the same limits and networks. @param name the one of the key that asks unless it is given.
 * @throws AppError as `noFurtherKeys` and the check of the key that asks, and CONFLICT when the customer has the most keys.
 */
export async function makeFurtherKey(store: KeyStore, asker: Asker, name?: string): Promise<IssuedKey> {
  const own = await store.asking(asker);
  const refusal = noFurtherKeys(own);
  if (refusal) throw refusal;
  if ((await keysInForce(store, own)).length >= MOST_KEYS) throw tooManyKeys();
  const issued = await issueKeyFor(store, asker, (asking) => {
    const refused = noFurtherKeys(asking);
    if (refused) throw refused;
    const { customer, limitPerHour, expiresAt, limits } = asking;
    return { name: name ?? asking.name, customer, limitPerHour, expiresAt, limits };
  });
  // Two requests at once may both have found room; then neither keeps its key.
  if ((await keysInForce(store, issued.record)).length <= MOST_KEYS) return issued;
  // Also when the key that asked has ended meanwhile.
  await revokeKey(store, issued.record.id, { asker: { ...asker, check: (record) => record! } });
  throw tooManyKeys();
}

/** Gives the key another secret; the ones before end after the overlap. @throws AppError CONFLICT when it has too many secrets. */
export function rotateOwnKey(store: KeyStore, asker: Asker, overlapMs: number): Promise<IssuedKey> {
  return rotateKey(store, asker.keyId, overlapMs, {
    asker,
    check(before) {
      if (overlapMs === 0 || secretsInForce(before).length < MOST_SECRETS) return;
      throw new AppError(
        'CONFLICT',
        `this key has ${MOST_SECRETS} secrets in force: rotate with an overlap of 0, or wait until one has ended`,
      );
    },
  });
}

/**
 * Refuses another key of the same customer from now on. Repeating it changes nothing.
 * @throws AppError NOT_FOUND for every other key, whether it exists or not, and CONFLICT for the key itself.
 */
export async function revokeOtherKey(store: KeyStore, asker: Asker, id: string): Promise<void> {
  if (id === asker.keyId)
    throw new AppError('CONFLICT', 'this key cannot revoke itself: rotate it with an overlap of 0 instead');
  const own = await store.asking(asker);
  const other = own.customer === null ? null : await store.findById(id);
  if (!other || other.customer !== own.customer) throw noSuchKey();
  if (other.revokedAt !== null) return;
  await revokeKey(store, id, {
    asker,
    check({ customer, revokedAt }, asking) {
      if (customer !== asking?.customer) throw noSuchKey();
      if (revokedAt !== null) throw new AppError('CONFLICT', 'this key was revoked meanwhile');
    },
  });
}

/** @throws AppError BAD_REQUEST when the budget is more than the operator allows. */
export function changeOwnLimits(
  store: KeyStore,
  asker: Asker,
  limits: Partial<Pick<KeyLimits, 'ownBudgetPerMonth' | 'networks'>>,
): Promise<KeyRecord> {
  return setKey(
    store,
    asker.keyId,
    { limits },
    {
      asker,
      check(before) {
        const most = before.limits.budgetPerMonth;
        if (most === null || (limits.ownBudgetPerMonth ?? 0) <= most) return;
        throw badRequest(`budgetPerMonth must be at most ${most}, which the operator allows this key`, {
          param: '/budgetPerMonth',
        });
      },
    },
  );
}

function tooManyKeys(): AppError {
  return new AppError(
    'CONFLICT',
    `this customer has ${MOST_KEYS} keys, the most that may be in force: revoke one first`,
  );
}

function noSuchKey(): AppError {
  return new AppError('NOT_FOUND', 'this customer has no such key');
}
