import type { WebhookSecretStore } from '../webhooks/secrets.ts';
import type { SignupStore } from './signup-store.ts';

/** The record of a key, without the key itself. Times are UTC, ISO 8601. */
export interface KeyRecord {
  /** Public: names the key in logs and reports. */
  readonly id: string;
  readonly name: string;
  /** Null: the service's default. */
  readonly limitPerHour: number | null;
  /** The payment processor's customer; null: this key is not billed. */
  readonly customer: string | null;
  readonly limits: KeyLimits;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** One, or two while a rotation's overlap lasts. */
  readonly secrets: readonly KeySecret[];
}

/** What a key may do besides its lookups per hour. */
export interface KeyLimits {
  /** Lookups answered with 200 per calendar month, UTC, that the operator allows; null: no budget. */
  readonly budgetPerMonth: number | null;
  /** The same, as the holder of the key set it. Both hold. */
  readonly ownBudgetPerMonth: number | null;
  /** Null: no limit but that of the hour. */
  readonly burstPerS: number | null;
  /** Lookups under way at once; null: the service's default. */
  readonly inFlight: number | null;
  /** Networks of clients in CIDR notation; empty: every network. */
  readonly networks: readonly string[];
  /** Rows of batches per day, UTC; 0: no batches. */
  readonly batchRowsPerDay: number;
}

/** Limits of a key that was given none. */
export const NO_LIMITS: KeyLimits = {
  ...{ budgetPerMonth: null, ownBudgetPerMonth: null, burstPerS: null, inFlight: null, networks: [] },
  batchRowsPerDay: 0,
};

/** One secret of a key, as its SHA-256. */
export interface KeySecret {
  readonly hash: string;
  readonly createdAt: string;
  /** Null: as long as the key itself. */
  readonly expiresAt: string | null;
}

/** A key as a request finds it. */
export interface FoundKey extends KeyRecord {
  /** True while the key's customer is suspended. */
  readonly isSuspended: boolean;
}

/**
 * Whose suspension it is, so that none ends another's. `payment`: the processor says that the customer does not pay; it ends with the payment.
 * `forgiven`: the operator ended that one, and the same reason does not suspend again. `rejections`: lookups could not be billed.
 */
export type SuspensionCause = 'operator' | 'rejections' | 'payment' | 'forgiven';

/** A customer of the payment processor who was suspended at least once. */
export interface CustomerRecord {
  readonly customer: string;
  /** Null: not suspended now. */
  readonly suspendedAt: string | null;
  readonly reason: string;
  readonly cause: SuspensionCause;
  /** End of the last suspension; rejections of lookups before it do not count. Null: none ended. */
  readonly resumedAt: string | null;
}

export interface CustomerChange {
  readonly record: CustomerRecord;
  readonly audit: AuditEntry;
}

/** One change of a key or a customer, kept for ever. */
export interface AuditEntry {
  readonly at: string;
  /** Operating system user and machine, or the key that asked over HTTP. */
  readonly actor: string;
  readonly action: 'create' | 'rotate' | 'revoke' | 'expire' | 'set' | 'import' | 'suspend' | 'resume';
  /** The key, or the customer who was suspended or resumed. */
  readonly keyId: string;
  readonly detail: string;
}

export interface KeyChange {
  readonly record: KeyRecord;
  readonly audit: AuditEntry;
}

/** Keys that can be read at the moment: `remembered` are those that this machine has seen within a day. */
export type KeysReach = 'all' | 'remembered' | 'none';

/** A store of keys, of what their webhooks are signed with, and of the sign-ups that lead to keys. */
export interface KeyStore extends AsyncDisposable, WebhookSecretStore {
  readonly signups: SignupStore;
  /** Says which keys can be read at the moment. Never fails. */
  reach(): Promise<KeysReach>;
  /** Finds the record that has this secret, whatever the record's state. */
  find(hash: string): Promise<FoundKey | null>;
  /** Finds a record by its id, whatever the record's state. */
  findById(id: string): Promise<FoundKey | null>;
  /** Oldest first. */
  list(): Promise<readonly KeyRecord[]>;
  /** Keys of a customer, whatever their state, oldest first. */
  listOf(customer: string): Promise<readonly KeyRecord[]>;
  /** @throws Error when the id or a secret already exists. */
  insert(change: KeyChange): Promise<void>;
  /**
   * Replaces a record by the result of `change`, without another change in between.
   * @returns the changed record, or null when there is no such key.
   */
  update(id: string, change: (record: KeyRecord) => KeyChange): Promise<KeyRecord | null>;
  /** Notes when keys were used last, by id. A time before one that is stored changes nothing. */
  noteUse(lastUsedAt: ReadonlyMap<string, string>): Promise<void>;
  /** When keys were used last, by id: all keys, or these. A key that was never used is missing. */
  lastUsed(ids?: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Customers who were suspended at least once, in the order of their ids. */
  customers(): Promise<readonly CustomerRecord[]>;
  /** Writes a customer's record after `change`, without another change in between. */
  updateCustomer(customer: string, change: (before: CustomerRecord | null) => CustomerChange): Promise<CustomerRecord>;
  /** Oldest first. */
  audit(): Promise<readonly AuditEntry[]>;
}
