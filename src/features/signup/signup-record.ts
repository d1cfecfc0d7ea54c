/** The record of a sign-up; and the secret that its browser keeps, with what is derived of it. The service stores only the hash of the secret. */
import type { SignupRecord, SignupState } from '../../core/keys/records.ts';
import type { SignupStore } from '../../core/keys/key-store.ts';
import { keyFrom } from '../../core/keys/key-format.ts';
import { hash, hkdfSync, randomBytes } from 'node:crypto';

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

const SECRET_BYTES = 32;
const SHAPE = /^[A-Za-z0-9_-]{43}$/;
const ID_SHAPE = /^sgn_[0-9a-f]{64}$/;

/** Random bytes that a key is made of. */
const KEY_BYTES = 128;

export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

export function isSecret(text: string | undefined): text is string {
  return text !== undefined && SHAPE.test(text);
}

/** The sign-up of a browser. The payment processor gets this as `client_reference_id`: it leads to nothing without the secret. */
export function signupIdOf(secret: string): string {
  return `sgn_${hash('sha256', secret, 'hex')}`;
}

export function isSignupId(text: string | null): text is string {
  return text !== null && ID_SHAPE.test(text);
}

/** The id of the one key that a sign-up leads to. */
export function keyIdOf(signupId: string): string {
  return `key_${hash('sha256', `key of ${signupId}`, 'hex').slice(0, 16)}`;
}

export function newSalt(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/**
 * The key of a sign-up. It is the same each time, so that an answer that was lost can be given again, and neither the browser's secret nor what
 * the service stores is enough for it (docs/decisions/0140).
 */
export function keyOf(secret: string, salt: string): string {
  return keyFrom(new Uint8Array(hkdfSync('sha256', secret, salt, 'land-lookup key', KEY_BYTES)));
}
