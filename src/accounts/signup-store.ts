/**
 * `begun`: a session at the payment processor is asked for. `open`: a browser may fill it. `paid`: the processor confirmed customer and payment
 * method, and there is no key yet. `issued`: the key is made, and may be given to the same browser again. `shown`: the browser said that it
 * shows the key. `ending`: the subscription is to be cancelled, because there will be no key. `ended`: it is.
 */
export type SignupState = 'begun' | 'open' | 'paid' | 'issued' | 'shown' | 'ending' | 'ended';

/** States in which nothing is left to do. */
export const FINISHED: readonly SignupState[] = ['shown', 'ended'];

/** A sign-up with the payment processor. Times are UTC, ISO 8601. */
export interface SignupRecord {
  /** `sgn_` and the SHA-256 of the secret that the browser keeps in a cookie. */
  readonly id: string;
  readonly state: SignupState;
  readonly createdAt: string;
  /** When its state began. */
  readonly changedAt: string;
  /** Number of the session, from 1: another one is asked for when one has expired or was refused. */
  readonly attempt: number;
  /** The price that the session is about. */
  readonly price: string;
  /** The processor's session; null: there is none yet. */
  readonly sessionId: string | null;
  readonly customer: string | null;
  readonly subscription: string | null;
  /** Its key, made or still to be made; null until the processor has confirmed. */
  readonly keyId: string | null;
  /** Of which the key is derived, together with the browser's secret; null before it is needed, and once the key was shown. */
  readonly salt: string | null;
  /** Why it ended, or is to end as soon as it is paid; otherwise empty. */
  readonly reason: string;
}

/** What a change does with a record: write another one, leave it as it is (null), or remove it. */
export type SignupChange = SignupRecord | 'remove' | null;

/** Where sign-ups are stored: where the keys are. */
export interface SignupStore {
  find(id: string): Promise<SignupRecord | null>;
  /** Oldest first. */
  list(which: 'all' | 'unfinished'): Promise<readonly SignupRecord[]>;
  /**
   * Changes a record without another change in between.
   * @returns the record as it is then; null when there is none.
   */
  update(id: string, change: (before: SignupRecord | null) => SignupChange): Promise<SignupRecord | null>;
}

/** The order of `list`. */
export function byAge(a: SignupRecord, b: SignupRecord): number {
  return a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.id < b.id ? -1 : 1;
}
