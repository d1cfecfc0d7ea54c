import type { Change, Documents } from '../../stores/documents.ts';
import type { WebhookSecret, WebhookSecretStore } from '../../webhooks/secrets.ts';
import {
  CUSTOMERS,
  KEYS,
  LAST_USED,
  WEBHOOK_SECRETS,
  type AuditEntry,
  type CustomerRecord,
  type FoundKey,
  type KeyRecord,
} from './records.ts';
import { compare, oldestFirst, SignupStore } from './signup-store.ts';

export {
  NO_LIMITS,
  type AuditEntry,
  type CustomerRecord,
  type FoundKey,
  type KeyLimits,
  type KeyRecord,
  type KeySecret,
  type SuspensionCause,
} from './records.ts';

export interface KeyChange {
  readonly record: KeyRecord;
  readonly audit: AuditEntry;
}

export interface CustomerChange {
  readonly record: CustomerRecord;
  readonly audit: AuditEntry;
}

/** Keys that can be read at the moment: `remembered` are those that this machine has seen within a day. */
export type KeysReach = 'all' | 'remembered' | 'none';

/** Keys, their customers, what their webhooks are signed with, and the sign-ups that lead to keys. */
export class KeyStore implements AsyncDisposable, WebhookSecretStore {
  readonly signups: SignupStore;
  readonly #documents: Documents;

  /** Owns the documents: disposing the store closes them. */
  constructor(documents: Documents) {
    this.#documents = documents;
    this.signups = new SignupStore(documents);
  }

  /** Says which keys can be read at the moment. Never fails. */
  reach(): Promise<KeysReach> {
    return this.#documents.find(KEYS, '').then(
      () => 'all',
      () => 'none',
    );
  }

  /** Finds the record that has this secret, whatever the record's state. */
  async find(hash: string): Promise<FoundKey | null> {
    return this.#found(await this.#documents.find(KEYS, hash));
  }

  /** Finds a record by its id, whatever the record's state. */
  async findById(id: string): Promise<FoundKey | null> {
    return this.#found(await this.#documents.get(KEYS, id));
  }

  /** Oldest first. */
  async list(): Promise<readonly KeyRecord[]> {
    return oldestFirst(await this.#documents.list(KEYS));
  }

  /** Keys of a customer, whatever their state, oldest first. */
  async listOf(customer: string): Promise<readonly KeyRecord[]> {
    return oldestFirst(await this.#documents.list(KEYS, { customer }));
  }

  /** @throws Error when the id or a secret already exists. */
  async insert(change: KeyChange): Promise<void> {
    await this.#documents.update(KEYS, change.record.id, (before) => {
      if (before) throw new Error(`${change.record.id} already exists`);
      return change;
    });
  }

  /**
   * Replaces a record by the result of `change`, without another change in between.
   * @returns the changed record, or null when there is no such key.
   */
  update(id: string, change: (record: KeyRecord) => KeyChange): Promise<KeyRecord | null> {
    return this.#documents.update(KEYS, id, (before) => before && change(before));
  }

  /** Notes when keys were used last, by id. A time before one that is stored changes nothing. */
  noteUse(lastUsedAt: ReadonlyMap<string, string>): Promise<void> {
    return this.#documents.raise(LAST_USED, lastUsedAt);
  }

  /** When keys were used last, by id: all keys, or these. A key that was never used is missing. */
  lastUsed(ids?: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.#documents.raised(LAST_USED, ids);
  }

  /** Customers who were suspended at least once, in the order of their ids. */
  async customers(): Promise<readonly CustomerRecord[]> {
    const records = await this.#documents.list(CUSTOMERS);
    return records.sort((a, b) => compare(a.customer, b.customer));
  }

  /**
   * Changes a customer's record without another change in between.
   * @returns the record as it is then; null when there is none.
   */
  updateCustomer(
    customer: string,
    change: (before: CustomerRecord | null) => CustomerChange | null,
  ): Promise<CustomerRecord | null> {
    return this.#documents.update(CUSTOMERS, customer, change);
  }

  async changeWebhookSecrets(
    keyId: string,
    change: (before: readonly WebhookSecret[]) => readonly WebhookSecret[] | null,
  ): Promise<readonly WebhookSecret[]> {
    const after = await this.#documents.update(WEBHOOK_SECRETS, keyId, (before): Change<readonly WebhookSecret[]> => {
      const record = change(before ?? []);
      return record && { record };
    });
    return after ?? [];
  }

  /** Oldest first. */
  async audit(): Promise<readonly AuditEntry[]> {
    return (await this.#documents.log()) as readonly AuditEntry[];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#documents[Symbol.asyncDispose]();
  }

  async #found(record: KeyRecord | null): Promise<FoundKey | null> {
    if (!record) return null;
    const customer = record.customer === null ? null : await this.#documents.get(CUSTOMERS, record.customer);
    const suspendedAt = customer?.suspendedAt ?? null;
    return { ...record, isSuspended: suspendedAt !== null, ...(suspendedAt === null ? {} : { suspendedAt }) };
  }
}
