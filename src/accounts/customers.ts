import { auditEntry } from './keys.ts';
import type { CustomerRecord, KeyStore } from './key-store.ts';

/**
 * Refuses the lookups of a customer's keys from now on.
 * @param resumedAt end of the last suspension as the caller knows it; missing: whichever it is.
 * @throws Error when the customer is already suspended, or was resumed since.
 */
export function suspendCustomer(
  store: Pick<KeyStore, 'updateCustomer'>,
  customer: string,
  reason: string,
  resumedAt?: string | null,
): Promise<CustomerRecord> {
  return store.updateCustomer(customer, (before) => {
    if (resumedAt !== undefined && resumedAt !== (before?.resumedAt ?? null))
      throw new Error(`${customer} was resumed meanwhile`);
    if (before && before.suspendedAt !== null) throw new Error(`${customer} is already suspended`);
    const suspendedAt = new Date().toISOString();
    const record = { customer, suspendedAt, reason, resumedAt: before?.resumedAt ?? null };
    return { record, audit: auditEntry(customer, 'suspend', reason) };
  });
}

/** Ends a suspension. Rejections of lookups before this moment do not count again. @throws Error when there is none. */
export function resumeCustomer(store: Pick<KeyStore, 'updateCustomer'>, customer: string): Promise<CustomerRecord> {
  return store.updateCustomer(customer, (before) => {
    if (!before || before.suspendedAt === null) throw new Error(`${customer} is not suspended`);
    const record = { ...before, suspendedAt: null, resumedAt: new Date().toISOString() };
    return { record, audit: auditEntry(customer, 'resume', before.reason) };
  });
}
