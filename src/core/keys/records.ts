/**
 * What the store of keys holds. The schemas check records that come from elsewhere, and the types follow from them. Times are
 * UTC, ISO 8601.
 */
import { Type } from 'typebox';
import { closed, nullable, oneOf, type Described } from '../../schema.ts';
import type { Collection } from '../stores/documents.ts';

const time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' });
const timeOrNull = nullable(time);
const text = Type.String();
const textOrNull = nullable(text);
const countOrNull = nullable(Type.Integer({ minimum: 1 }));

export const keyIdSchema = Type.String({
  pattern: '^key_[0-9a-f]{16}$',
  description: 'Public id of a key, as logs and audits name it.',
});

/** What a key may do besides its lookups per hour. */
const keyLimitsSchema = closed({
  /** Lookups answered with 200 per calendar month, UTC, that the operator allows; null: no budget. */
  budgetPerMonth: countOrNull,
  /** The same, as the holder of the key set it. Both hold. */
  ownBudgetPerMonth: countOrNull,
  /** Null: no limit but that of the hour. */
  burstPerS: countOrNull,
  /** Lookups under way at once; null: the service's default. */
  inFlight: countOrNull,
  /** Networks of clients in CIDR notation; empty: every network. */
  networks: Type.Array(text),
  /** Rows of batches per day, UTC; 0: no batches. */
  batchRowsPerDay: Type.Integer({ minimum: 0 }),
});

/** One secret of a key, as its SHA-256. */
const keySecretSchema = closed({
  hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  createdAt: time,
  /** Null: as long as the key itself. */
  expiresAt: timeOrNull,
});

/** The record of a key, without the key itself. */
export const keySchema = closed({
  /** Public: names the key in logs and reports. */
  id: keyIdSchema,
  name: text,
  /** Null: the service's default. */
  limitPerHour: countOrNull,
  /** The payment processor's customer; null: this key is not billed. */
  customer: textOrNull,
  limits: keyLimitsSchema,
  createdAt: time,
  expiresAt: timeOrNull,
  revokedAt: timeOrNull,
  /** One, or two while a rotation's overlap lasts. */
  secrets: Type.Array(keySecretSchema),
});

export type KeyLimits = Described<typeof keyLimitsSchema>;
export type KeySecret = Described<typeof keySecretSchema>;
export type KeyRecord = Described<typeof keySchema>;

/** A key as a request finds it. */
export interface FoundKey extends KeyRecord {
  /** True while the key's customer is suspended. */
  readonly isSuspended: boolean;
  /** Only then; a record that an earlier version has remembered lacks it. */
  readonly suspendedAt?: string;
}

/** A customer of the payment processor who was suspended at least once. */
export const customerSchema = closed({
  customer: text,
  /** Null: not suspended now. */
  suspendedAt: timeOrNull,
  reason: text,
  /** End of the last suspension; rejections of lookups before it do not count. Null: none ended. */
  resumedAt: timeOrNull,
  /**
   * Whose suspension it is, so that none ends another's. `payment`: the processor says that the customer does not pay; it ends with the payment.
   * `forgiven`: the operator ended that one, and the same reason does not suspend again. `rejections`: lookups could not be billed.
   */
  cause: oneOf(['operator', 'rejections', 'payment', 'forgiven']),
});

export type CustomerRecord = Described<typeof customerSchema>;
export type SuspensionCause = CustomerRecord['cause'];

/** A sign-up with the payment processor. */
export const signupSchema = closed({
  /** `sgn_` and the SHA-256 of the secret that the browser keeps in a cookie. */
  id: Type.String({ pattern: '^sgn_[0-9a-f]{64}$' }),
  /**
   * `begun`: a session at the payment processor is asked for. `open`: a browser may fill it. `paid`: the processor confirmed customer and payment
   * method, and there is no key yet. `issued`: the key is made, and may be given to the same browser again. `shown`: the browser said that it
   * shows the key. `ending`: the subscription is to be cancelled, because there will be no key. `ended`: it is.
   */
  state: oneOf(['begun', 'open', 'paid', 'issued', 'shown', 'ending', 'ended']),
  createdAt: time,
  /** When its state began. */
  changedAt: time,
  /** Number of the session, from 1: another one is asked for when one has expired or was refused. */
  attempt: Type.Integer({ minimum: 1 }),
  /** The price that the session is about. */
  price: text,
  /** The processor's session; null: there is none yet. */
  sessionId: textOrNull,
  customer: textOrNull,
  subscription: textOrNull,
  /** Its key, made or still to be made; null until the processor has confirmed. */
  keyId: textOrNull,
  /** Of which the key is derived, together with the browser's secret; null before it is needed, and once the key was shown. */
  salt: textOrNull,
  /** Why it ended, or is to end as soon as it is paid; otherwise empty. */
  reason: text,
});

export type SignupRecord = Described<typeof signupSchema>;
export type SignupState = SignupRecord['state'];

/** States in which nothing is left to do. */
const FINISHED: readonly SignupState[] = ['shown', 'ended'];

/** One change of a key or a customer, kept for ever. */
export interface AuditEntry {
  readonly at: string;
  /** Operating system user and machine, or the key that asked over HTTP. */
  readonly actor: string;
  readonly action:
    | 'create'
    | 'rotate'
    | 'revoke'
    | 'expire'
    | 'set'
    | 'import'
    | 'suspend'
    | 'resume'
    | 'restore'
    | 'forget';
  /** The key, or the customer who was suspended or resumed. */
  readonly keyId: string;
  readonly detail: string;
}

/** Limits of a key that was given none. */
export const NO_LIMITS: KeyLimits = {
  budgetPerMonth: null,
  ownBudgetPerMonth: null,
  burstPerS: null,
  inFlight: null,
  networks: [],
  batchRowsPerDay: 0,
};

export const KEYS: Collection<KeyRecord> = {
  name: 'records',
  complete: (stored) => ({ ...stored, limits: { ...NO_LIMITS, ...stored.limits } }),
  unique: { name: 'secrets', of: ({ secrets }) => secrets.map(({ hash }) => hash) },
};

export const CUSTOMERS: Collection<CustomerRecord> = {
  name: 'customers',
  complete: (stored) => ({ ...stored, cause: (stored as Partial<CustomerRecord>).cause ?? 'operator' }),
};

export const SIGNUPS: Collection<SignupRecord> = {
  name: 'signups',
  complete: (stored) => ({
    ...stored,
    sessionId: (stored as Partial<SignupRecord>).sessionId ?? null,
    salt: (stored as Partial<SignupRecord>).salt ?? null,
  }),
  open: { name: 'signups-unfinished', has: ({ state }) => !FINISHED.includes(state) },
};

/** By the id of their key. They are not in its record, which is cached, exported and remembered by machines. */
export const WEBHOOK_SECRETS: Collection<readonly WebhookSecret[]> = { name: 'webhook-secrets' };

/** Times by the id of a key. */
export const LAST_USED = 'last-used';

/** What the webhooks of a key are signed with. It must be readable, because a signature needs the secret itself. */
export interface WebhookSecret {
  /** `whsec_` and 32 random bytes in base64. */
  readonly secret: string;
  readonly createdAt: string;
  /** When it ceases to sign, after a rotation; null: it is the present one. */
  readonly endsAt: string | null;
}
