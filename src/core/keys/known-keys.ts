import type { Database, Statement } from 'better-sqlite3';
import type { FoundKey } from './key-store.ts';
import { openStore } from '../files/open-store.ts';
import { removeFromStore } from '../files/scrub.ts';
import { onStore } from '../../messages/stores.ts';
import { DAY_MS, HOUR_MS } from '../../messages/time.ts';

const FORMAT = 1;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS known (hash TEXT PRIMARY KEY, record TEXT NOT NULL, seen_ms INTEGER NOT NULL)
    STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS revoked (key_id TEXT PRIMARY KEY, at TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS revoked_at ON revoked (at);
`;

/** A key is known for this long after the store confirmed it. */
const KNOWN_MS = DAY_MS;

/** A confirmation is written again only after this time. */
const REFRESHED_MS = HOUR_MS / 6;

/** Most revocations that are compared with Redis at once. */
const MOST_REVOKED = 1000;

/** Short, because the main thread waits. What is not written now is written at the next request. */
const BUSY_TIMEOUT_MS = 20;

/**
 * What this machine has learned of the keys in Redis, in a file: the records of the last day, for a start while Redis is away, and
 * every revocation, for a Redis that has lost one (docs/decisions/0020).
 */
export class KnownKeys implements Disposable {
  readonly #db: Database;
  readonly #find: Statement<[string], { readonly record: string; readonly seenMs: number }>;
  readonly #newest: Statement<[number], number>;
  readonly #remember: Statement<[string, string, number]>;
  readonly #revokedAt: Statement<[string], string>;
  readonly #noteRevoked: Statement<[string, string]>;
  readonly #revokedSince: Statement<[string, number], string>;

  /** Opens the file, and makes it when it is missing. */
  constructor(file: string) {
    this.#db = onStore(file, () => open(file));
    this.#find = this.#db.prepare('SELECT record, seen_ms AS seenMs FROM known WHERE hash = ?');
    this.#newest = this.#db.prepare<[number], number>('SELECT EXISTS (SELECT 1 FROM known WHERE seen_ms >= ?)').pluck();
    this.#remember = this.#db.prepare('INSERT OR REPLACE INTO known VALUES (?, ?, ?)');
    this.#revokedAt = this.#db.prepare<[string], string>('SELECT at FROM revoked WHERE key_id = ?').pluck();
    this.#noteRevoked = this.#db.prepare('INSERT OR IGNORE INTO revoked VALUES (?, ?)');
    this.#revokedSince = this.#db
      .prepare<[string, number], string>('SELECT key_id FROM revoked WHERE at >= ? ORDER BY at DESC LIMIT ?')
      .pluck();
  }

  /** Returns the record that a secret had within the last day. */
  find(hash: string): FoundKey | null {
    const row = this.#find.get(hash);
    return row && Math.abs(Date.now() - row.seenMs) <= KNOWN_MS ? (JSON.parse(row.record) as FoundKey) : null;
  }

  /** True when it knows a key, in force or not. */
  get hasKeys(): boolean {
    return this.#newest.get(Date.now() - KNOWN_MS) === 1;
  }

  /** Never fails: a disk that cannot be written is the usage journal's matter. */
  remember(hash: string, record: FoundKey): void {
    const text = JSON.stringify(record);
    attempt(() => {
      const row = this.#find.get(hash);
      const nowMs = Date.now();
      if (row?.record === text && Math.abs(nowMs - row.seenMs) < REFRESHED_MS) return;
      this.#remember.run(hash, text, nowMs);
    });
  }

  revokedAt(keyId: string): string | null {
    return this.#revokedAt.get(keyId) ?? null;
  }

  /** Never fails. */
  noteRevoked(keyId: string, at: string): void {
    attempt(() => {
      if (this.#revokedAt.get(keyId) === undefined) this.#noteRevoked.run(keyId, at);
    });
  }

  /** Ids of the keys that were revoked within the last day, the newest first, and not more than can be compared at once. */
  lastRevoked(): readonly string[] {
    return this.#revokedSince.all(new Date(Date.now() - DAY_MS).toISOString(), MOST_REVOKED);
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}

/** Removes what a machine remembers of keys, but for their revocations, which have no names. */
export async function forgetKnown(file: string, keyIds: readonly string[]): Promise<void> {
  await removeFromStore(file, (db) =>
    db
      .prepare<[string]>(`DELETE FROM known WHERE record ->> '$.id' IN (SELECT value FROM json_each(?))`)
      .run(JSON.stringify(keyIds)),
  );
}

/** Opens the file, and forgets what is too old. */
function open(file: string): Database {
  const db = openStore({
    file,
    format: FORMAT,
    schema: SCHEMA,
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    synchronous: 'NORMAL',
  });
  db.prepare('DELETE FROM known WHERE seen_ms < ?').run(Date.now() - KNOWN_MS);
  return db;
}

function attempt(write: () => void): void {
  try {
    write();
  } catch {
    // The next request tries again.
  }
}
