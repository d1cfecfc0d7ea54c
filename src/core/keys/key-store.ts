import type { Change, Documents, Reading } from '../stores/documents.ts';
import {
  type WebhookSecret,
  CUSTOMERS,
  KEYS,
  LAST_USED,
  WEBHOOK_SECRETS,
  type AuditEntry,
  type CustomerRecord,
  type FoundKey,
  type KeyRecord,
  SIGNUPS,
  type SignupRecord,
} from './records.ts';

export {
  NO_LIMITS,
  type AuditEntry,
  type CustomerRecord,
  type FoundKey,
  type KeyLimits,
  type KeyRecord,
  type KeySecret,
  type SignupRecord,
  type SignupState,
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

/** Who asks for a change over HTTP. */
export interface Asker {
  readonly keyId: string;
  /**
   * Decides by the record as the store has it, which may differ from the one that a process remembers.
   * @throws AppError UNAUTHORIZED, FORBIDDEN or PAYMENT_REQUIRED when it may change nothing.
   */
  readonly check: (record: FoundKey | null) => FoundKey;
}

/** Keys that can be read at the moment: `remembered` are those that this machine has seen within a day. */
export type KeysReach = 'all' | 'remembered' | 'none';

/** Where the secrets of webhooks are: where the keys are. */
export type WebhookSecretStore = Pick<KeyStore, 'changeWebhookSecrets'>;

/** Keys, their customers, what their webhooks are signed with, and the sign-ups that lead to keys. */
export class KeyStore implements AsyncDisposable {
  readonly signups: SignupStore;
  readonly #documents: Documents;
  readonly #watchers: ((hashes: readonly string[]) => void)[] = [];

  /** Owns the documents: disposing the store closes them. */
  constructor(documents: Documents) {
    this.#documents = documents;
    this.signups = new SignupStore(documents);
  }

  /** Calls a function after each change of a key that is made here, with the hashes of the secrets that it had and has. */
  watch(onChanged: (hashes: readonly string[]) => void): void {
    this.#watchers.push(onChanged);
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
    return this.#found(this.#read, await this.#documents.find(KEYS, hash));
  }

  /** Finds a record by its id, whatever the record's state. */
  async findById(id: string): Promise<FoundKey | null> {
    return this.#found(this.#read, await this.#documents.get(KEYS, id));
  }

  /** Reads the key that asks for a change. @throws what its check throws. */
  async asking(asker: Asker): Promise<FoundKey> {
    return asker.check(await this.findById(asker.keyId));
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
   * Does the same for a key that asks for another one, by what it may do when that is written.
   * @throws what the check of the key that asks throws.
   */
  async insertFor(asker: Asker, id: string, make: (asking: FoundKey) => KeyChange): Promise<KeyRecord> {
    const record = await this.#documents.updateAfter(KEYS, id, async (read) => {
      const change = make(await this.#asking(read, asker));
      return (before) => {
        if (before) throw new Error(`${id} already exists`);
        return change;
      };
    });
    return record!;
  }

  /**
   * Replaces a record by the result of `change`, without another change in between.
   * @param asker the key that asks, by whose record as it is then the change is decided; absent: an operator.
   * @returns the changed record, or null when there is no such key.
   * @throws what the check of the key that asks throws.
   */
  async update(
    id: string,
    change: (record: KeyRecord, asking: FoundKey | null) => KeyChange,
    asker?: Asker,
  ): Promise<KeyRecord | null> {
    let had: KeyRecord | null = null;
    const after = await this.#documents.updateAfter<KeyRecord>(KEYS, id, async (read) => {
      const asking = asker ? await this.#asking(read, asker) : null;
      return (before) => (had = before) && change(before, asking);
    });
    const hashes = [had as KeyRecord | null, after].flatMap((record) => record?.secrets.map(({ hash }) => hash) ?? []);
    for (const onChanged of this.#watchers) onChanged(hashes);
    return after;
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

  /**
   * Replaces the webhook secrets of a key by the result of `change`, without another change in between; null: there is nothing to change. Returns the
   * secrets as they are then.
   */
  async changeWebhookSecrets(
    keyId: string,
    change: (before: readonly WebhookSecret[]) => readonly WebhookSecret[] | null,
    asker?: Asker,
  ): Promise<readonly WebhookSecret[]> {
    const after = await this.#documents.updateAfter<readonly WebhookSecret[]>(WEBHOOK_SECRETS, keyId, async (read) => {
      if (asker) await this.#asking(read, asker);
      return (before): Change<readonly WebhookSecret[]> => {
        const record = change(before ?? []);
        return record && { record };
      };
    });
    return after ?? [];
  }

  /** Oldest first. */
  async audit(): Promise<readonly AuditEntry[]> {
    return (await this.#documents.log()) as readonly AuditEntry[];
  }

  /** Puts others in the place of entries of the audit; null: it stays. Returns how many. */
  rewriteAudit(change: (entry: AuditEntry) => AuditEntry | null): Promise<number> {
    return this.#documents.rewriteLog((entry) => change(entry as AuditEntry));
  }

  /** Lets nothing stay in the file of what was replaced or removed. */
  scrub(): Promise<void> {
    return this.#documents.scrub();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#documents[Symbol.asyncDispose]();
  }

  /** Adds what this machine alone knows of a key. */
  protected withOwnKnowledge(key: FoundKey): FoundKey {
    return key;
  }

  readonly #read: Reading = (collection, id) => this.#documents.get(collection, id);

  async #asking(read: Reading, { keyId, check }: Asker): Promise<FoundKey> {
    const found = await this.#found(read, await read(KEYS, keyId));
    return check(found && this.withOwnKnowledge(found));
  }

  async #found(read: Reading, record: KeyRecord | null): Promise<FoundKey | null> {
    if (!record) return null;
    const customer = record.customer === null ? null : await read(CUSTOMERS, record.customer);
    const suspendedAt = customer?.suspendedAt ?? null;
    return { ...record, isSuspended: suspendedAt !== null, ...(suspendedAt === null ? {} : { suspendedAt }) };
  }
}

/** What a change does with a record: write another one, leave it as it is (null), or remove it. */
type SignupChange = SignupRecord | 'remove' | null;

/** Sign-ups, where the keys are. */
export class SignupStore {
  readonly #documents: Documents;

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  find(id: string): Promise<SignupRecord | null> {
    return this.#documents.get(SIGNUPS, id);
  }

  /** Oldest first. */
  async list(which: 'all' | 'unfinished'): Promise<readonly SignupRecord[]> {
    return oldestFirst(await this.#documents.list(SIGNUPS, which === 'all' ? {} : { open: true }));
  }

  /**
   * Changes a record without another change in between.
   * @returns the record as it is then; null when there is none.
   */
  update(id: string, change: (before: SignupRecord | null) => SignupChange): Promise<SignupRecord | null> {
    return this.#documents.update(SIGNUPS, id, (before) => {
      const after = change(before);
      return after === null || after === 'remove' ? after : { record: after };
    });
  }
}

/** Sorts by time, and by id where the times are the same. */
function oldestFirst<T extends { readonly id: string; readonly createdAt: string }>(records: T[]): readonly T[] {
  return records.sort((a, b) => compare(a.createdAt, b.createdAt) || compare(a.id, b.id));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
