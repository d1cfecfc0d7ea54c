/** The secret that a browser keeps during a sign-up, and what is derived of it. The service stores only its hash. */
import { hash, hkdfSync, randomBytes } from 'node:crypto';
import { keyFrom } from '../../core/keys/key-format.ts';

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
