/** What the routes of accounts have in common: the key that asks, and their limits. */
import type { Response } from 'express';
import { hashSent } from '../../core/keys/authenticator.ts';
import type { FoundKey, KeySecret } from '../../core/keys/key-store.ts';
import { secretOf } from '../../core/keys/keys.ts';
import { counted, DAY_S, type Limited } from '../../core/limits/limit-words.ts';
import { requestContextOf } from '../../core/http/request-context.ts';
import { NOT_REPLACED, perHour } from '../../core/http/route.ts';
import type { Services } from '../../core/http/services.ts';

/** Requests per hour and key: enough for somebody who looks at a page, and for a program that looks each minute. */
const REQUESTS_PER_HOUR = 600;

/** A suspended customer may use these routes, for example to pay. */
export const own = { takesSuspended: true };

/** What their descriptions say. */
export const FREE = 'Costs nothing, and has an hourly limit of its own. A suspended customer may use it.';

/** Each change is an entry in the audit, which is kept for ever. */
const CHANGES_PER_DAY = 50;

export const CHANGES = `${FREE} The keys of a customer may be changed ${CHANGES_PER_DAY} times per day. ${NOT_REPLACED}`;

export function ownKey(res: Response): FoundKey {
  return requestContextOf(res).key!;
}

/** Returns the secret that a request came with: a key may have several while a rotation lasts. */
export function ownSecret(res: Response): KeySecret | undefined {
  return secretOf(ownKey(res), hashSent(res.req.headers.authorization) ?? '');
}

/** Of requests about the account. */
export const requestLimit = {
  name: 'account',
  may: (limit: number) => `ask about its account ${counted(limit, 'time')}`,
  policy: 'account',
};

export const spendRequest = perHour(requestLimit, REQUESTS_PER_HOUR);

/** Of a customer. */
export const changeLimit: Limited = {
  name: 'account-changes',
  may: (limit) => `change its account ${counted(limit, 'time')}`,
  reason: 'PER_DAY',
  windowS: DAY_S,
};

/** Counts a change, for all keys of the customer together. @throws AppError RATE_LIMITED. */
export async function spendChange({ quotas }: Services, res: Response): Promise<void> {
  const { id, customer } = ownKey(res);
  await quotas.of(changeLimit).spend(customer ?? id, CHANGES_PER_DAY);
}
