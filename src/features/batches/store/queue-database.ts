import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import { syncPath } from '../../../core/files/replace.ts';
import { openStore } from '../../../core/files/open-store.ts';
import { onStore, type LaterColumns } from '../../../messages/stores.ts';

/** Written into the file. A later version adds steps from the one before. */
const FORMAT = 1;

/** A chunk is waiting (0), was taken at least once (1), or its answers are visible (2). */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS batch (
    id TEXT PRIMARY KEY, key_id TEXT NOT NULL, customer TEXT, state TEXT NOT NULL, detail TEXT NOT NULL, callback_url TEXT,
    snapshot TEXT NOT NULL, row_count INTEGER NOT NULL,
    found INTEGER NOT NULL DEFAULT 0, not_found INTEGER NOT NULL DEFAULT 0, outside INTEGER NOT NULL DEFAULT 0,
    invalid INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL, started_at TEXT, ended_at TEXT, expires_at TEXT,
    is_cancelled INTEGER NOT NULL DEFAULT 0, error TEXT,
    input_bytes INTEGER NOT NULL, result_bytes INTEGER NOT NULL DEFAULT 0,
    -- Bytes of the input as it is stored, and the most that the results should take.
    stored_bytes INTEGER NOT NULL, expected_bytes INTEGER NOT NULL,
    -- Rows that count against the key's allowance of this day.
    held_rows INTEGER NOT NULL, day TEXT NOT NULL,
    idempotency_key TEXT, request_hash TEXT) STRICT;
  CREATE INDEX IF NOT EXISTS batch_of_key ON batch (key_id, id);
  CREATE INDEX IF NOT EXISTS batch_unfinished ON batch (key_id, id) WHERE ended_at IS NULL;
  CREATE INDEX IF NOT EXISTS batch_ended ON batch (ended_at, id) WHERE ended_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS chunk (
    batch_id TEXT NOT NULL REFERENCES batch (id), idx INTEGER NOT NULL, state INTEGER NOT NULL, lease TEXT,
    lease_ends_ms INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (batch_id, idx)) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS chunk_open ON chunk (batch_id, idx) WHERE state < 2;
  -- Inputs that arrive.
  CREATE TABLE IF NOT EXISTS upload (
    id TEXT PRIMARY KEY, bytes INTEGER NOT NULL, lease_ends_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  -- When a key was served last, as a number that grows.
  CREATE TABLE IF NOT EXISTS turn (key_id TEXT PRIMARY KEY, served INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS allowance (
    key_id TEXT NOT NULL, day TEXT NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (key_id, day)) STRICT, WITHOUT ROWID;
`;

/** Columns that queues of earlier versions lack. */
const LATER_COLUMNS: LaterColumns = {
  batch: {
    ignored_columns: `TEXT NOT NULL DEFAULT '[]'`,
    further: `TEXT NOT NULL DEFAULT '[]'`,
    members: `TEXT NOT NULL DEFAULT '{}'`,
  },
  // Threads that were lost at the chunk.
  chunk: { losses: 'INTEGER NOT NULL DEFAULT 0' },
};

/** Time that another process may hold the file before a statement fails. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * The SQLite file of the queue, shared by the processes of one machine. Statements take microseconds, so they run on the main thread. What
 * would hold it up is the disk: a commit only hands its pages to the kernel, and `sync` waits for the disk in another thread.
 */
export class QueueDatabase implements AsyncDisposable {
  readonly db: Database;
  readonly #file: string;
  #wal: Promise<FileHandle> | null = null;

  /** Opens the file, and makes it and its folder when they are missing. @throws Error when a later version wrote it. */
  constructor(file: string) {
    this.#file = file;
    this.db = openDatabase(file);
  }

  /**
   * Resolves when everything that was committed before is on the disk. With `synchronous = NORMAL` SQLite itself writes the log to the disk
   * only before a checkpoint; a log that is on the disk is read again after a loss of power.
   */
  async sync(): Promise<void> {
    this.#wal ??= open(`${this.#file}-wal`, 'r');
    const wal = await this.#wal.catch((cause: unknown) => {
      this.#wal = null;
      throw cause;
    });
    await wal.datasync();
  }

  /** Runs statements in a transaction that writes. Immediate, because one that reads first and writes later fails when another process writes in between. */
  change<T>(work: () => T): T {
    return this.db.transaction(work).immediate();
  }

  /** Runs statements that read one state of the file. */
  read<T>(work: () => T): T {
    return this.db.transaction(work).deferred();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const wal = await this.#wal?.catch(() => null);
    this.#wal = null;
    await wal?.close();
    this.db.close();
  }
}

function openDatabase(file: string): Database {
  const db = openStore({
    file,
    format: FORMAT,
    schema: SCHEMA,
    laterColumns: LATER_COLUMNS,
    busyTimeoutMs: BUSY_TIMEOUT_MS,
    synchronous: 'NORMAL',
  });
  onStore(file, () => {
    syncPath(dirname(file));
  });
  return db;
}
