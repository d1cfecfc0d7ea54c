import type Database from 'better-sqlite3';
import type { WebhookSecret } from '../webhooks/secrets.ts';
import { openKeyDatabase } from './key-database.ts';
import { settle, SqliteSignups } from './sqlite-signups.ts';
import {
  NO_LIMITS,
  type AuditEntry,
  type CustomerChange,
  type CustomerRecord,
  type FoundKey,
  type KeyChange,
  type KeyRecord,
  type KeySecret,
  type KeysReach,
  type KeyStore,
} from './key-store.ts';

const CUSTOMER_COLUMNS = 'customer, suspended_at AS suspendedAt, reason, resumed_at AS resumedAt, cause';

const KEY_COLUMNS = `id, name, limit_per_hour AS limitPerHour, customer, limits, created_at AS createdAt,
  expires_at AS expiresAt, revoked_at AS revokedAt`;
const SECRET_COLUMNS = 'hash, created_at AS createdAt, expires_at AS expiresAt';

interface KeyRow extends Omit<KeyRecord, 'secrets' | 'limits'> {
  /** JSON. */
  readonly limits: string;
}

/** Keys in an SQLite file that the processes of one machine share. A look-up takes microseconds, so it may run on the main thread. */
export class SqliteKeyStore implements KeyStore {
  readonly signups: SqliteSignups;
  readonly #db: Database.Database;
  readonly #keyOfHash: Database.Statement<[string], KeyRow>;
  readonly #keyOfId: Database.Statement<[string], KeyRow>;
  readonly #secretsOfKey: Database.Statement<[string], KeySecret>;
  readonly #customer: Database.Statement<[string], CustomerRecord>;

  /** Opens the file, and makes it and its folder when they are missing. */
  constructor(file: string) {
    this.#db = openKeyDatabase(file);
    this.signups = new SqliteSignups(this.#db);
    this.#keyOfHash = this.#db.prepare(
      `SELECT ${KEY_COLUMNS} FROM api_key WHERE id = (SELECT key_id FROM api_key_secret WHERE hash = ?)`,
    );
    this.#keyOfId = this.#db.prepare(`SELECT ${KEY_COLUMNS} FROM api_key WHERE id = ?`);
    this.#secretsOfKey = this.#db.prepare(
      `SELECT ${SECRET_COLUMNS} FROM api_key_secret WHERE key_id = ? ORDER BY created_at, hash`,
    );
    this.#customer = this.#db.prepare(`SELECT ${CUSTOMER_COLUMNS} FROM customer WHERE customer = ?`);
  }

  reach(): Promise<KeysReach> {
    return this.find('').then(
      () => 'all',
      () => 'none',
    );
  }

  find(hash: string): Promise<FoundKey | null> {
    return settle(() => this.#found(this.#keyOfHash.get(hash)));
  }

  findById(id: string): Promise<FoundKey | null> {
    return settle(() => this.#found(this.#keyOfId.get(id)));
  }

  list(): Promise<readonly KeyRecord[]> {
    return settle(() =>
      this.#db
        .prepare<[], KeyRow>(`SELECT ${KEY_COLUMNS} FROM api_key ORDER BY created_at, id`)
        .all()
        .map((row) => this.#withSecrets(row)!),
    );
  }

  listOf(customer: string): Promise<readonly KeyRecord[]> {
    return settle(() =>
      this.#db
        .prepare<[string], KeyRow>(`SELECT ${KEY_COLUMNS} FROM api_key WHERE customer = ? ORDER BY created_at, id`)
        .all(customer)
        .map((row) => this.#withSecrets(row)!),
    );
  }

  insert({ record, audit }: KeyChange): Promise<void> {
    return settle(() => {
      this.#db.transaction(() => {
        this.#db
          .prepare(
            `INSERT INTO api_key (id, name, limit_per_hour, customer, limits, created_at, expires_at, revoked_at)
             VALUES (@id, @name, @limitPerHour, @customer, @limits, @createdAt, @expiresAt, @revokedAt)`,
          )
          .run(rowOf(record));
        this.#insertSecrets(record);
        this.#note(audit);
      })();
    });
  }

  update(id: string, change: (record: KeyRecord) => KeyChange): Promise<KeyRecord | null> {
    const work = this.#db.transaction(() => {
      const before = this.#withSecrets(this.#keyOfId.get(id));
      if (!before) return null;
      const { record, audit } = change(before);
      this.#db
        .prepare(
          `UPDATE api_key SET name = @name, limit_per_hour = @limitPerHour, customer = @customer,
             limits = @limits, expires_at = @expiresAt, revoked_at = @revokedAt WHERE id = @id`,
        )
        .run(rowOf({ ...record, id }));
      this.#db.prepare('DELETE FROM api_key_secret WHERE key_id = ?').run(id);
      this.#insertSecrets(record);
      this.#note(audit);
      return record;
    });
    // Immediate, because a transaction that reads first and writes later fails when another process writes in between.
    return settle(() => work.immediate());
  }

  noteUse(lastUsedAt: ReadonlyMap<string, string>): Promise<void> {
    const note = this.#db.prepare<[string, string]>(
      `INSERT INTO api_key_use VALUES (?, ?)
       ON CONFLICT DO UPDATE SET last_used_at = max(last_used_at, excluded.last_used_at)`,
    );
    return settle(() => {
      this.#db.transaction(() => {
        for (const [id, at] of lastUsedAt) note.run(id, at);
      })();
    });
  }

  lastUsed(ids?: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const all = 'SELECT key_id, last_used_at FROM api_key_use';
    const some = `${all} WHERE key_id IN (SELECT value FROM json_each(?))`;
    return settle(() => {
      if (!ids) return new Map(this.#db.prepare<[], [string, string]>(all).raw().all());
      return new Map(this.#db.prepare<[string], [string, string]>(some).raw().all(JSON.stringify(ids)));
    });
  }

  customers(): Promise<readonly CustomerRecord[]> {
    return settle(() =>
      this.#db.prepare<[], CustomerRecord>(`SELECT ${CUSTOMER_COLUMNS} FROM customer ORDER BY customer`).all(),
    );
  }

  updateCustomer(customer: string, change: (before: CustomerRecord | null) => CustomerChange): Promise<CustomerRecord> {
    const work = this.#db.transaction(() => {
      const { record, audit } = change(this.#customer.get(customer) ?? null);
      this.#db
        .prepare(
          `INSERT OR REPLACE INTO customer (customer, suspended_at, reason, resumed_at, cause)
             VALUES (@customer, @suspendedAt, @reason, @resumedAt, @cause)`,
        )
        .run(record);
      this.#note(audit);
      return record;
    });
    return settle(() => work.immediate());
  }

  changeWebhookSecrets(
    keyId: string,
    change: (before: readonly WebhookSecret[]) => readonly WebhookSecret[],
  ): Promise<readonly WebhookSecret[]> {
    const find = this.#db.prepare<[string], string>('SELECT secrets FROM webhook_secrets WHERE key_id = ?').pluck();
    const work = this.#db.transaction(() => {
      const text = find.get(keyId);
      const before = text === undefined ? [] : (JSON.parse(text) as WebhookSecret[]);
      const after = change(before);
      if (after === before) return before;
      this.#db.prepare('INSERT OR REPLACE INTO webhook_secrets VALUES (?, ?)').run(keyId, JSON.stringify(after));
      return after;
    });
    return settle(() => work.immediate());
  }

  audit(): Promise<readonly AuditEntry[]> {
    return settle(() =>
      this.#db
        .prepare<[], AuditEntry>('SELECT at, actor, action, key_id AS keyId, detail FROM api_key_audit ORDER BY seq')
        .all(),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return settle(() => {
      this.#db.close();
    });
  }

  #insertSecrets({ id, secrets }: KeyRecord): void {
    const insert = this.#db.prepare('INSERT INTO api_key_secret VALUES (@hash, @id, @createdAt, @expiresAt)');
    for (const secret of secrets) insert.run({ ...secret, id });
  }

  #note(entry: AuditEntry): void {
    this.#db.prepare('INSERT INTO api_key_audit VALUES (NULL, @at, @actor, @action, @keyId, @detail)').run(entry);
  }

  #found(row: KeyRow | undefined): FoundKey | null {
    const record = this.#withSecrets(row);
    if (!record) return null;
    const customer = record.customer === null ? undefined : this.#customer.get(record.customer);
    return { ...record, isSuspended: customer !== undefined && customer.suspendedAt !== null };
  }

  #withSecrets(row: KeyRow | undefined): KeyRecord | null {
    if (!row) return null;
    const limits = { ...NO_LIMITS, ...(JSON.parse(row.limits) as Partial<KeyRecord['limits']>) };
    return { ...row, limits, secrets: this.#secretsOfKey.all(row.id) };
  }
}

function rowOf({ limits, ...record }: KeyRecord): Omit<KeyRecord, 'limits'> & Pick<KeyRow, 'limits'> {
  return { ...record, limits: JSON.stringify(limits) };
}
