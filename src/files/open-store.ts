import Database from 'better-sqlite3';
import { onStore } from '../shared/store-fault.ts';
import { addColumns, prepareStore, type LaterColumns, type StoreFormat } from '../shared/store-format.ts';
import { makePrivateDatabase } from './private.ts';

export interface StoreOptions extends StoreFormat {
  /** Statements that make what is missing. Several processes may run them on a new file at once. */
  readonly schema: string;
  readonly laterColumns?: LaterColumns;
  /** Time that another process may hold the file before a statement fails. It blocks the main thread. */
  readonly busyTimeoutMs: number;
  /** `FULL`: a commit is on the disk when it returns. `NORMAL`: after a loss of power the last commits may be missing. */
  readonly synchronous: 'NORMAL' | 'FULL';
}

/** Opens the SQLite file of a store for this user alone, and makes it and its folder when they are missing. @throws Error when a later version wrote it. */
export function openStore(options: StoreOptions): Database.Database {
  const { file, schema, laterColumns = {}, busyTimeoutMs, synchronous } = options;
  return onStore(file, () => {
    makePrivateDatabase(file);
    const db = new Database(file, { timeout: busyTimeoutMs });
    try {
      prepareStore(db, options, () => {
        db.pragma('journal_mode = WAL');
        db.pragma(`synchronous = ${synchronous}`);
        db.exec(schema);
        addColumns(db, laterColumns);
      });
      return db;
    } catch (cause) {
      db.close();
      throw cause;
    }
  });
}
