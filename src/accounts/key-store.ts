/** The record of a key, without the key itself. Times are UTC, ISO 8601. */
export interface KeyRecord {
  /** Public: names the key in logs and reports. */
  readonly id: string;
  readonly name: string;
  /** Null: the service's default. */
  readonly limitPerHour: number | null;
  /** The payment processor's customer; null: this key is not billed. */
  readonly customer: string | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** One, or two while a rotation's overlap lasts. */
  readonly secrets: readonly KeySecret[];
}

/** One secret of a key, as its SHA-256. */
export interface KeySecret {
  readonly hash: string;
  readonly createdAt: string;
  /** Null: as long as the key itself. */
  readonly expiresAt: string | null;
}

/** One change of a key, kept for ever. */
export interface AuditEntry {
  readonly at: string;
  /** Operating system user and machine. */
  readonly actor: string;
  readonly action: 'create' | 'rotate' | 'revoke' | 'expire' | 'set' | 'import';
  readonly keyId: string;
  readonly detail: string;
}

export interface KeyChange {
  readonly record: KeyRecord;
  readonly audit: AuditEntry;
}

/** A store of keys. */
export interface KeyStore extends AsyncDisposable {
  /** Finds the record that has this secret, whatever the record's state. */
  find(hash: string): Promise<KeyRecord | null>;
  /** Oldest first. */
  list(): Promise<readonly KeyRecord[]>;
  /** @throws Error when the id or a secret already exists. */
  insert(change: KeyChange): Promise<void>;
  /**
   * Replaces a record by the result of `change`, without another change in between.
   * @returns the changed record, or null when there is no such key.
   */
  update(id: string, change: (record: KeyRecord) => KeyChange): Promise<KeyRecord | null>;
  /** Oldest first. */
  audit(): Promise<readonly AuditEntry[]>;
}
