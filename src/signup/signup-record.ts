import type { SignupRecord, SignupState, SignupStore } from '../accounts/keys/signup-store.ts';

/** The record of a sign-up that begins. */
export function fresh(id: string, price: string): SignupRecord {
  const now = new Date().toISOString();
  return {
    ...{ id, price, state: 'begun', createdAt: now, changedAt: now, attempt: 1, sessionId: null },
    ...{ customer: null, subscription: null, keyId: null, salt: null, reason: '' },
  };
}

/** The same record, changed at this moment. */
export function changedNow(record: SignupRecord): SignupRecord {
  return { ...record, changedAt: new Date().toISOString() };
}

/** Changes a record that is in this state; another stays as it is. @returns the record as it is then. */
export function move(
  store: SignupStore,
  id: string,
  from: SignupState,
  change: (before: SignupRecord) => SignupRecord | null,
): Promise<SignupRecord | null> {
  return store.update(id, (before) => {
    const after = before?.state === from ? change(before) : null;
    return after && changedNow(after);
  });
}
