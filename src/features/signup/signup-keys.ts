import type { Logger } from 'winston';
import type { KeyStore, SignupRecord } from '../../core/keys/key-store.ts';
import { issueKey, revokeKey } from '../../core/keys/keys.ts';
import { keyOf, move } from './signup-record.ts';

/** What the browser of a sign-up gets when it asks for its key. */
export type Claim =
  /** The key. It is given again until the browser says that it shows it. */
  | { readonly state: 'key'; readonly key: string; readonly keyId: string }
  /** Not filled, or nothing known of this browser. */
  | { readonly state: 'open' | 'unknown' }
  /** Begun in another browser than the one that filled it: there will be no key. */
  | { readonly state: 'elsewhere' }
  /** Filled; the processor has not confirmed it yet. */
  | { readonly state: 'processing' }
  | { readonly state: 'shown'; readonly keyId: string }
  /** `reason`: an `EndReason`, or in words. */
  | { readonly state: 'ended'; readonly reason: string };

/** Gives the browsers of sign-ups their keys, one for each sign-up. */
export class SignupKeys {
  readonly #options;

  constructor(options: {
    readonly store: Pick<KeyStore, 'signups' | 'insert' | 'findById' | 'update'>;
    readonly logger: Pick<Logger, 'info'>;
    /** Called for each key that is made. */
    readonly onMade: () => void;
  }) {
    this.#options = options;
  }

  /** Returns the key of a sign-up that is paid, which is made when it is asked for the first time; otherwise why there is none. */
  async claim(record: SignupRecord, secret: string): Promise<Claim> {
    const { state, keyId, reason } = record;
    if (state === 'begun' || state === 'open') return { state: 'open' };
    if (state === 'ending' || state === 'ended') return { state: 'ended', reason };
    if (state === 'shown' || record.salt === null) return { state: 'shown', keyId: keyId! };
    const key = keyOf(secret, record.salt);
    if (state === 'issued') return { state: 'key', key, keyId: keyId! };
    return this.#issue(record, secret, key);
  }

  async #issue(record: SignupRecord, secret: string, key: string): Promise<Claim> {
    const { store } = this.#options;
    const keyId = record.keyId!;
    await this.#insert(record, key);
    const issued = await move(store.signups, record.id, 'paid', (before) => ({ ...before, state: 'issued' }));
    if (issued?.state === 'issued') return { state: 'key', key, keyId };
    // The time for it ran out at the same moment; its key must not outlive the subscription.
    const made = await store.findById(keyId);
    if (made?.revokedAt === null && issued?.state !== 'shown') await revokeKey(store, keyId);
    return issued ? this.claim(issued, secret) : { state: 'unknown' };
  }

  /** Makes the key unless an earlier attempt did. */
  async #insert({ keyId, customer }: SignupRecord, key: string): Promise<void> {
    const { store, logger, onMade } = this.#options;
    if (await store.findById(keyId!)) return;
    try {
      await issueKey(store, { given: { id: keyId!, key }, name: 'sign-up', customer });
    } catch (cause) {
      if (await store.findById(keyId!)) return;
      throw cause;
    }
    onMade();
    logger.info('sign-up: key made', { keyId, customer });
  }
}
