import Database from 'better-sqlite3';
import { closeSync, openSync } from 'node:fs';
import { onStore, StoreFault } from '../../messages/stores.ts';

/** Another process holds a lock. */
export class LockHeld extends Error {}

/**
 * Takes a lock for work that only one process may do at a time (docs/decisions/0040): an exclusive SQLite transaction
 * on a separate file. The operating system releases it when the process ends, however it ends, so no lock outlives its
 * process.
 * @throws LockHeld when another process holds it.
 */
export function takeLock(file: string, held: string): Disposable {
  const lock = onStore(file, () => {
    // SQLite opens what it may not write for reading, which locks nobody out, and does not say why.
    closeSync(openSync(file, 'a'));
    return new Database(file, { timeout: 0 });
  });
  try {
    onStore(file, () => {
      // Otherwise SQLite would make a journal beside it, where an import may not write (docs/decisions/0073). Nothing is ever stored.
      lock.pragma('journal_mode = MEMORY');
      lock.exec('BEGIN EXCLUSIVE');
    });
  } catch (cause) {
    lock.close();
    if (cause instanceof StoreFault && cause.code === 'SQLITE_BUSY')
      throw new LockHeld(`${held} (it holds ${file})`, { cause });
    throw cause;
  }
  return {
    [Symbol.dispose]: () => {
      lock.close();
    },
  };
}
