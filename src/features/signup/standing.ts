import type Stripe from 'stripe';
import { DAY_MS } from '../../messages/time.ts';

/**
 * Time that a customer has after a bill that could not be collected. The processor tries again for two weeks by itself, so nobody is refused
 * because of a card that was replaced (docs/decisions/0140).
 */
const GRACE_MS = 14 * DAY_MS;

type Subscription = Pick<Stripe.Subscription, 'id' | 'status'>;

/** Says whether more must be known of a subscription: since when its oldest bill is open. */
export function needsOpenBills({ status }: Subscription): boolean {
  return status === 'past_due';
}

/**
 * Says why the keys of a customer are refused, from all subscriptions of the customer to our price; null: they are not. One subscription in force
 * is enough. Without any there is nothing to say, which is undefined.
 * @param openSinceMs when the oldest open bill of a subscription was made, for those of `needsOpenBills`; missing: it has none.
 */
export function faultOf(
  subscriptions: readonly Subscription[],
  openSinceMs: ReadonlyMap<string, number>,
  nowMs: number,
): string | null | undefined {
  const faults = subscriptions.map((subscription) => faultOfOne(subscription, openSinceMs.get(subscription.id), nowMs));
  if (faults.includes(null)) return null;
  return faults[0];
}

function faultOfOne({ status }: Subscription, openSinceMs: number | undefined, nowMs: number): string | null {
  if (status === 'active' || status === 'trialing') return null;
  if (status !== 'past_due') return `the subscription is ${status}`;
  const isWithinGrace = openSinceMs === undefined || nowMs - openSinceMs <= GRACE_MS;
  return isWithinGrace ? null : `a bill of the subscription is open for more than ${GRACE_MS / DAY_MS} days`;
}
