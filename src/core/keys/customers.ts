import { auditEntry } from './keys.ts';
import type { AuditedChange, CustomerRecord, KeyStore, SuspensionCause } from './key-store.ts';

type Store = Pick<KeyStore, 'updateCustomer'>;

/**
 * Refuses the lookups of a customer's keys from now on. The operator's suspension takes the place of one for payment.
 * @param resumedAt end of the last suspension as the caller knows it; missing: whichever it is.
 * @throws Error when the customer is already suspended, or was resumed since.
 */
export async function suspendCustomer(
  store: Store,
  customer: string,
  reason: string,
  resumedAt?: string | null,
  cause: Extract<SuspensionCause, 'operator' | 'rejections'> = 'operator',
): Promise<CustomerRecord> {
  const record = await store.updateCustomer(customer, (before) => {
    if (resumedAt !== undefined && resumedAt !== (before?.resumedAt ?? null))
      throw new Error(`${customer} was resumed meanwhile`);
    if (before && before.suspendedAt !== null && before.cause !== 'payment')
      throw new Error(`${customer} is already suspended`);
    return suspension(before, { customer, reason, cause });
  });
  return record!;
}

/**
 * Ends a suspension. Rejections of lookups before this moment do not count again, and what the payment processor says now does not suspend
 * again before it says something else.
 * @throws Error when there is none.
 */
export async function resumeCustomer(store: Store, customer: string): Promise<CustomerRecord> {
  const record = await store.updateCustomer(customer, (before) => {
    if (!before || before.suspendedAt === null) throw new Error(`${customer} is not suspended`);
    return end(before, before.cause === 'payment' ? 'forgiven' : before.cause);
  });
  return record!;
}

/**
 * Does what the payment processor says of a customer: suspends it for a reason, or (null) ends a suspension for payment. Another's suspension
 * stays as it is.
 * @returns the record after the change; null when there was none to make.
 */
export async function followPayment(
  store: Store,
  customer: string,
  reason: string | null,
): Promise<CustomerRecord | null> {
  let change = null as AuditedChange<CustomerRecord> | null;
  await store.updateCustomer(customer, (before) => (change = changeFor(before, customer, reason)));
  return change?.record ?? null;
}

/** What `followPayment` changes; null: nothing. */
export function changeFor(
  before: CustomerRecord | null,
  customer: string,
  reason: string | null,
): AuditedChange<CustomerRecord> | null {
  if (reason === null) return before && isEndedByPayment(before) ? end(before, 'payment') : null;
  if (before && (before.suspendedAt !== null || (before.cause === 'forgiven' && before.reason === reason))) return null;
  return suspension(before, { customer, reason, cause: 'payment' });
}

function isEndedByPayment({ cause, suspendedAt }: CustomerRecord): boolean {
  return cause === 'forgiven' || (cause === 'payment' && suspendedAt !== null);
}

function suspension(
  before: CustomerRecord | null,
  { customer, reason, cause }: Pick<CustomerRecord, 'customer' | 'reason' | 'cause'>,
): AuditedChange<CustomerRecord> {
  const suspendedAt = new Date().toISOString();
  const record = { customer, suspendedAt, reason, cause, resumedAt: before?.resumedAt ?? null };
  return { record, audit: auditEntry(customer, 'suspend', reason) };
}

function end(before: CustomerRecord, cause: SuspensionCause): AuditedChange<CustomerRecord> {
  const resumedAt = before.suspendedAt === null ? before.resumedAt : new Date().toISOString();
  const record = { ...before, cause, suspendedAt: null, resumedAt };
  return { record, audit: auditEntry(before.customer, 'resume', before.reason) };
}
