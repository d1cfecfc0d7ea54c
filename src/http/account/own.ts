/** What the routes of accounts have in common: the key that asks, and their limits. */
import type { Response } from 'express';
import { hashKey } from '../../accounts/keys/key-format.ts';
import type { FoundKey, KeySecret } from '../../accounts/keys/key-store.ts';
import { secretOf } from '../../accounts/keys/keys.ts';
import { AppError, unavailable } from '../../shared/problems.ts';
import type { Services } from '../services.ts';
import { requestContextOf } from '../request-context.ts';
import { perHour } from '../route.ts';

/** Requests per hour and key: enough for somebody who looks at a page, and for a program that looks each minute. */
const REQUESTS_PER_HOUR = 600;

/** A suspended customer may use these routes, for example to pay. */
export const own = { takesSuspended: true };

/** What their descriptions say. */
export const FREE = 'Costs nothing, and has an hourly limit of its own. A suspended customer may use it.';

/** Each change is an entry in the audit, which is kept for ever. */
const CHANGES_PER_DAY = 50;

export const CHANGES = `${FREE} The keys of a customer may be changed ${CHANGES_PER_DAY} times per day. A key that a rotation has replaced may change nothing.`;

/** Waits for the store of keys. @throws AppError: what the work throws, or DB_ERROR when the store does not answer. */
export async function fromStore<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw unavailable('KEYS_UNREACHABLE', 'the keys cannot be read or changed', { cause });
  }
}

export function ownKey(res: Response): FoundKey {
  return requestContextOf(res).key!;
}

/** Returns the secret that a request came with: a key may have several while a rotation lasts. */
export function ownSecret(res: Response): KeySecret | undefined {
  const token = /^Bearer +(\S+) *$/i.exec(res.req.headers.authorization ?? '')?.[1] ?? '';
  return secretOf(ownKey(res), hashKey(token));
}

export const spendRequest = perHour('account', REQUESTS_PER_HOUR);

/**
 * Counts a change, for all keys of the customer together.
 * @throws AppError FORBIDDEN for a secret that a rotation has replaced: whoever has a key that leaked must not prolong it. RATE_LIMITED.
 */
export async function spendChange({ quotas }: Services, res: Response): Promise<void> {
  const endsAt = ownSecret(res)?.expiresAt ?? null;
  if (endsAt !== null) {
    throw new AppError(
      'FORBIDDEN',
      `this key was replaced and ends at ${endsAt}: changes need the one that replaced it`,
      { log: { reason: 'REPLACED' } },
    );
  }
  const { id, customer } = ownKey(res);
  await quotas.of('accountChanges').spend(customer ?? id, CHANGES_PER_DAY);
}
