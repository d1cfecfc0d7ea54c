import type { SignupRecord, SignupState, SignupStore } from '../../core/keys/key-store.ts';

/** Why this service ends sign-ups that the payment processor has confirmed, by what is noted in their records. */
export type EndReason = 'ELSEWHERE' | 'NOBODY_CAME';

const endReasons: Readonly<Record<EndReason, string>> = {
  ELSEWHERE: 'it was paid for in another browser than it was begun in',
  NOBODY_CAME: 'nobody came back for the key within a day',
};

/** Says in words why a sign-up is ended. What the processor's session lacks is noted in words, as all reasons were before version 0.3.0. */
export function endText({ reason }: Pick<SignupRecord, 'reason'>): string {
  return reason in endReasons ? endReasons[reason as EndReason] : reason;
}

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
