import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { onStore, addColumns, MOST_LOG_BYTES, prepareStore, type LaterColumns } from '../../src/messages/stores.ts';
import { addDays, addMonths } from './day-table.ts';
import { KEPT_BYTES_SCHEMA } from './answer-table.ts';

export const JOURNAL_FORMAT = 1;

const ANSWER_SCHEMA = `
  CREATE TABLE IF NOT EXISTS answer (
    key_id TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    lookup_id TEXT NOT NULL,
    -- The attempt that holds the claim, '' if nobody does; null once there is an answer.
    attempt_id TEXT,
    at_ms INTEGER NOT NULL,
    -- Of a failure.
    code TEXT,
    -- Null while an attempt is under way; 0 when the answer is not kept any more.
    bytes INTEGER,
    -- Compressed.
    body BLOB,
    -- Id of the snapshot that answered.
    vintage TEXT,
    PRIMARY KEY (key_id, idempotency_key)) STRICT;
  CREATE INDEX IF NOT EXISTS answer_time ON answer (at_ms);
`;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS usage (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    key_id TEXT NOT NULL,
    customer TEXT,
    at_ms INTEGER NOT NULL,
    state TEXT NOT NULL,
    -- When the first attempt began of which the outcome may be unknown.
    sent_ms INTEGER,
    settled_ms INTEGER,
    reason TEXT) STRICT;
  CREATE INDEX IF NOT EXISTS usage_pending ON usage (customer, seq, at_ms) WHERE state = 'pending';
  CREATE INDEX IF NOT EXISTS usage_unsettled ON usage (state, customer) WHERE state IN ('rejected', 'too_old', 'uncertain');
  CREATE INDEX IF NOT EXISTS usage_time ON usage (at_ms);
  ${ANSWER_SCHEMA}
  -- Readings of the clocks: the last good one, and the first since the wall clock jumped.
  CREATE TABLE IF NOT EXISTS clock (
    name TEXT PRIMARY KEY,
    wall_ms INTEGER NOT NULL,
    uptime_ms INTEGER NOT NULL) STRICT;
  -- The last comparison with the payment processor: one row.
  CREATE TABLE IF NOT EXISTS reconciliation (
    name TEXT PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    days INTEGER NOT NULL,
    differing INTEGER NOT NULL) STRICT;
  -- Reports of the payment processor that were taken.
  CREATE TABLE IF NOT EXISTS report (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE) STRICT;
`;

/**
 * Columns that journals of earlier versions lack. Answers of those versions count as lost attempts: the next attempt makes the
 * lookup again under its id, so that it is billed once.
 */
const LATER_COLUMNS: LaterColumns = {
  usage: {
    // Number of times that the lookup was given back for delivery.
    resends: 'INTEGER NOT NULL DEFAULT 0',
    // Time of the event when it is not the lookup's.
    billed_ms: 'INTEGER',
    // 1: rejected because of the customer.
    customer_fault: 'INTEGER NOT NULL DEFAULT 0',
  },
  answer: { attempt_id: 'TEXT', bytes: 'INTEGER', body: 'BLOB', vintage: 'TEXT' },
  // That the uptime is of.
  clock: { machine: 'TEXT' },
};

/** Time that another process may hold the file before an operation fails. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Opens the journal, and makes it when it is missing. A commit is on the disk when it returns.
 * @param mustExist makes no file: while a disk is not mounted, its folder is there and empty, and what is written into it is lost.
 * @throws Error when a later version wrote it.
 */
export function openJournal(file: string, { mustExist = false }: { mustExist?: boolean } = {}): Database.Database {
  return onStore(file, () => open(file, mustExist));
}

/** Makes the table of requests with an `Idempotency-Key`, its indexes and its triggers, where they are missing. */
export function makeAnswerTable(db: Database.Database): void {
  db.exec(ANSWER_SCHEMA);
  db.exec(KEPT_BYTES_SCHEMA);
}

function open(file: string, mustExist: boolean): Database.Database {
  if (!mustExist) mkdirSync(dirname(file), { recursive: true });
  const db = new Database(file, { timeout: BUSY_TIMEOUT_MS, fileMustExist: mustExist });
  try {
    prepareStore(db, { file, format: JOURNAL_FORMAT }, () => {
      // Possible only before the first table. Lets `prune` free space without rewriting the file.
      db.pragma('auto_vacuum = INCREMENTAL');
      db.pragma('journal_mode = WAL');
      db.pragma(`journal_size_limit = ${MOST_LOG_BYTES}`);
      db.pragma('synchronous = FULL');
      db.exec(SCHEMA);
      addColumns(db, LATER_COLUMNS);
      db.exec(KEPT_BYTES_SCHEMA);
      addMonths(db);
      addDays(db);
    });
    return db;
  } catch (cause) {
    db.close();
    throw cause;
  }
}

/**
 * Takes the lock of the delivering process, or returns null when another process has it. The process holds it until it
 * ends or opens the journal again. The system releases it, however the process ends.
 */
export function takeLead(file: string): Database.Database | null {
  const lock = new Database(`${file}.lead`, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (cause) {
    lock.close();
    if (cause instanceof Database.SqliteError && cause.code === 'SQLITE_BUSY') return null;
    throw cause;
  }
}
