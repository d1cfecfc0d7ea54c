import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { onStore } from '../../messages/stores.ts';

/** Time that another process may hold a file before a statement fails. */
const BUSY_TIMEOUT_MS = 5000;

/** Attempts to empty a write-ahead log while other processes read the file, and the pause between them. */
const ATTEMPTS = 50;
const PAUSE_MS = 100;

/** Reads a store beside the processes that use it. Null when there is no such file. */
export function readStore<T>(file: string, read: (db: Database.Database) => T): T | null {
  if (!existsSync(file)) return null;
  return onStore(file, () => {
    const db = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
    try {
      return read(db);
    } finally {
      db.close();
    }
  });
}

/**
 * Removes something from a store beside the processes that use it, so that neither its file nor its log has it afterwards. Null when there is no such file.
 * @throws Error when another process holds the file or its log.
 */
export async function removeFromStore<T>(file: string, remove: (db: Database.Database) => T): Promise<T | null> {
  if (!existsSync(file)) return null;
  const db = onStore(file, () => new Database(file, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS }));
  try {
    const removed = onStore(file, () => db.transaction(() => remove(db)).immediate());
    await scrub(db);
    return removed;
  } finally {
    db.close();
  }
}

/**
 * Writes the file anew, because SQLite leaves what was deleted or replaced in free pages, in gaps of pages and in the log, and empties the log. For small
 * files: nobody else can write meanwhile. @throws Error when another process holds the file or its log.
 */
export async function scrub(db: Database.Database): Promise<void> {
  onStore(db.name, () => db.exec('VACUUM'));
  await emptyLog(db);
}

/** Does the same as `emptyLog` for a file that somebody else writes. */
export async function emptyLogOf(file: string): Promise<void> {
  const db = onStore(file, () => new Database(file, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS }));
  try {
    await emptyLog(db);
  } finally {
    db.close();
  }
}

/** Moves the whole log into the file, and leaves it empty. @throws Error when another process keeps it in use. */
async function emptyLog(db: Database.Database): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (onStore(db.name, () => isLogEmptied(db))) return;
    await sleep(PAUSE_MS);
  }
  throw new Error(`${db.name}-wal is in use by another process and may still have what was removed: try again later`);
}

function isLogEmptied(db: Database.Database): boolean {
  const [row] = db.pragma('wal_checkpoint(TRUNCATE)') as [{ readonly busy: number }];
  return row.busy === 0;
}
