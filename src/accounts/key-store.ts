/** What is known of a key; never the key itself. Times are UTC, ISO 8601. */
export interface KeyRecord {
  /** Public: stands for the key in logs and reports. */
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

/** One text that a key answers to, as its SHA-256. */
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

/** Where keys live. */
export interface KeyStore extends AsyncDisposable {
  /** The record with this secret among its own, whatever its state. */
  find(hash: string): Promise<KeyRecord | null>;
  /** Oldest first. */
  list(): Promise<readonly KeyRecord[]>;
  /** @throws Error when the id or a secret is there already. */
  insert(change: KeyChange): Promise<void>;
  /**
   * Replaces a record by what `change` makes of it; nobody else's change comes between.
   * @returns the changed record, or null when there is no such key.
   */
  update(id: string, change: (record: KeyRecord) => KeyChange): Promise<KeyRecord | null>;
  /** Oldest first. */
  audit(): Promise<readonly AuditEntry[]>;
}
