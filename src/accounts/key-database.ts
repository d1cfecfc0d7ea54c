/** The SQLite file of keys and customers: its tables, and what stores of earlier versions lack. */
import Database from 'better-sqlite3';
import { makePrivateDatabase } from '../files/private.ts';
import { onStore } from '../shared/store-fault.ts';
import { prepareStore } from '../shared/store-format.ts';

const FORMAT = 1;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS api_key (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, limit_per_hour INTEGER, customer TEXT,
    created_at TEXT NOT NULL, expires_at TEXT, revoked_at TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS api_key_secret (
    hash TEXT PRIMARY KEY, key_id TEXT NOT NULL REFERENCES api_key (id), created_at TEXT NOT NULL, expires_at TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS api_key_secret_key ON api_key_secret (key_id);
  CREATE INDEX IF NOT EXISTS api_key_customer ON api_key (customer) WHERE customer IS NOT NULL;
  CREATE TABLE IF NOT EXISTS api_key_audit (
    seq INTEGER PRIMARY KEY, at TEXT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL, key_id TEXT NOT NULL,
    detail TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS customer (
    customer TEXT PRIMARY KEY, suspended_at TEXT, reason TEXT NOT NULL, resumed_at TEXT) STRICT, WITHOUT ROWID;
  -- JSON. Readable, because a signature needs the secret itself.
  CREATE TABLE IF NOT EXISTS webhook_secrets (key_id TEXT PRIMARY KEY, secrets TEXT NOT NULL) STRICT, WITHOUT ROWID;
  -- A table of its own, so that noting a use never waits for a change of a key.
  CREATE TABLE IF NOT EXISTS api_key_use (key_id TEXT PRIMARY KEY, last_used_at TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

/** Columns that stores of earlier versions lack. Limits are JSON, so that a new limit needs no new column. */
const ADDED_COLUMNS = [
  ['api_key', 'limits', `TEXT NOT NULL DEFAULT '{}'`],
  ['customer', 'cause', `TEXT NOT NULL DEFAULT 'operator'`],
] as const;

/** Time that another process may hold the file before a statement fails. */
const BUSY_TIMEOUT_MS = 5000;

/** Opens the file, and makes it and its folder when they are missing. @throws Error when a later version wrote it. */
export function openKeyDatabase(file: string): Database.Database {
  return onStore(file, () => {
    makePrivateDatabase(file);
    const db = new Database(file, { timeout: BUSY_TIMEOUT_MS });
    prepareStore(db, { file, format: FORMAT }, () => {
      db.pragma('journal_mode = WAL');
      db.exec(SCHEMA);
      for (const column of ADDED_COLUMNS) addColumn(db, column);
    });
    return db;
  });
}

/** Immediate, because several processes may start on an old store at once. */
function addColumn(db: Database.Database, [table, name, type]: (typeof ADDED_COLUMNS)[number]): void {
  const isMissing = db
    .prepare<[string, string], number>('SELECT count(*) = 0 FROM pragma_table_info(?) WHERE name = ?')
    .pluck();
  if (isMissing.get(table, name) === 0) return;
  const add = db.transaction(() => {
    if (isMissing.get(table, name) === 1) db.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${type}`);
  });
  add.immediate();
}
