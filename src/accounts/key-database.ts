/** The SQLite file of keys and customers: its tables, and what stores of earlier versions lack. */
import type { Database } from 'better-sqlite3';
import { openStore } from '../files/open-store.ts';
import type { LaterColumns } from '../shared/store-format.ts';

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
const LATER_COLUMNS: LaterColumns = {
  api_key: { limits: `TEXT NOT NULL DEFAULT '{}'` },
  customer: { cause: `TEXT NOT NULL DEFAULT 'operator'` },
};

/** Time that another process may hold the file before a statement fails. */
const BUSY_TIMEOUT_MS = 5000;

/** Opens the file, and makes it and its folder when they are missing. @throws Error when a later version wrote it. */
export function openKeyDatabase(file: string): Database {
  return openStore({
    file,
    format: FORMAT,
    schema: SCHEMA,
    laterColumns: LATER_COLUMNS,
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    synchronous: 'NORMAL',
  });
}
