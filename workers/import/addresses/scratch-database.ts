import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';

/**
 * Opens an empty database for data that need not survive a crash: without a journal, without waiting for the disk, for one user.
 * SQLite uses `cacheKib` for pages, and as much again for sorting.
 */
export function openScratchDatabase(file: string, cacheKib: number): Database.Database {
  rmSync(file, { force: true });
  const db = new Database(file);
  db.pragma('journal_mode = OFF');
  db.pragma('synchronous = OFF');
  db.pragma('locking_mode = EXCLUSIVE');
  db.pragma(`cache_size = -${cacheKib}`);
  return db;
}
