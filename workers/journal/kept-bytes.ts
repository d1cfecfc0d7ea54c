import type { Database, Statement } from 'better-sqlite3';

/** The plain answers of a day at the usual hourly limit fit into the bytes of one key. */
const BOUNDS = { keyBytes: 64 * 2 ** 20, allBytes: 2 ** 30 };

/** Answers that are given up at once, so that the next ones need not look again. */
const GIVEN_UP_AT_ONCE = 20;

/**
 * The bytes of stored answers, which triggers count by key and in total. Beyond the bounds the oldest answers are given
 * up. Their rows stay: the request is still known as counted and billed (docs/decisions/0024).
 */
export const KEPT_BYTES_SCHEMA = `
  -- By key, and for all keys under ''.
  CREATE TABLE IF NOT EXISTS answer_bytes (
    key_id TEXT PRIMARY KEY,
    bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS answer_kept ON answer (key_id, at_ms) WHERE bytes > 0;
  CREATE TRIGGER IF NOT EXISTS answer_added AFTER INSERT ON answer BEGIN
    INSERT OR IGNORE INTO answer_bytes VALUES (new.key_id, 0), ('', 0);
    UPDATE answer_bytes SET bytes = bytes + coalesce(new.bytes, 0) WHERE key_id IN (new.key_id, '');
  END;
  CREATE TRIGGER IF NOT EXISTS answer_changed AFTER UPDATE OF bytes ON answer BEGIN
    UPDATE answer_bytes SET bytes = bytes + coalesce(new.bytes, 0) - coalesce(old.bytes, 0)
    WHERE key_id IN (new.key_id, '');
  END;
  CREATE TRIGGER IF NOT EXISTS answer_removed AFTER DELETE ON answer BEGIN
    UPDATE answer_bytes SET bytes = bytes - coalesce(old.bytes, 0) WHERE key_id IN (old.key_id, '');
  END;
`;

/** Keeps the stored answers within their bounds. */
export class KeptBytes {
  readonly #bytesOf: Statement<[string], number>;
  readonly #largest: Statement<[], string>;
  readonly #giveUp: Statement<[string, number]>;
  readonly #bounds: typeof BOUNDS;

  constructor(db: Database, bounds = BOUNDS) {
    this.#bounds = bounds;
    this.#bytesOf = db.prepare<[string], number>('SELECT bytes FROM answer_bytes WHERE key_id = ?').pluck();
    this.#largest = db
      .prepare<[], string>(`SELECT key_id FROM answer_bytes WHERE key_id <> '' ORDER BY bytes DESC LIMIT 1`)
      .pluck();
    this.#giveUp = db.prepare(
      `UPDATE answer SET bytes = 0, body = NULL
       WHERE rowid IN (SELECT rowid FROM answer WHERE key_id = ? AND bytes > 0 ORDER BY at_ms LIMIT ?)`,
    );
  }

  /** Gives up the oldest answers of a key that has too many bytes, then those of the key with most, while all are too many. */
  keepBounds(keyId: string): void {
    while (this.#bytes(keyId) > this.#bounds.keyBytes && this.#giveUpOldest(keyId));
    while (this.#bytes('') > this.#bounds.allBytes && this.#giveUpOldest(this.#largest.get() ?? ''));
  }

  /** False: the key has none. */
  #giveUpOldest(keyId: string): boolean {
    return this.#giveUp.run(keyId, GIVEN_UP_AT_ONCE).changes > 0;
  }

  #bytes(keyId: string): number {
    return this.#bytesOf.get(keyId) ?? 0;
  }
}
