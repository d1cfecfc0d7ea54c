import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import {
  onStore,
  addColumns,
  MOST_LOG_BYTES,
  prepareStore,
  type LaterColumns,
  type StoreFormat,
} from '../../messages/stores.ts';
import { makePrivateDatabase } from './make-folder.ts';
import { moveIntoPlace, syncPath } from './replace.ts';

/** A format of which a store is made once. A copy of the file as it was is kept beside it. */
export interface EarlierFormat {
  /** A table that only this format has. */
  readonly table: string;
  /** Makes the present tables' content of it, and removes the table, in a transaction. */
  readonly upgrade: (db: Database.Database) => void;
}

interface StoreOptions extends StoreFormat {
  /** Statements that make what is missing. Several processes may run them on a new file at once. */
  readonly schema: string;
  readonly laterColumns?: LaterColumns;
  readonly earlier?: EarlierFormat;
  /** Time that another process may hold the file before a statement fails. It blocks the main thread. */
  readonly busyTimeoutMs: number;
  /** `FULL`: a commit is on the disk when it returns. `NORMAL`: after a loss of power the last commits may be missing. */
  readonly synchronous: 'NORMAL' | 'FULL';
}

/** Opens the SQLite file of a store for this user alone, and makes it and its folder when they are missing. @throws Error when a later version wrote it. */
export function openStore(options: StoreOptions): Database.Database {
  const { file, format, schema, laterColumns = {}, busyTimeoutMs, synchronous, earlier } = options;
  return onStore(file, () => {
    makePrivateDatabase(file);
    const db = new Database(file, { timeout: busyTimeoutMs });
    try {
      prepareStore(db, options, (found) => {
        const isEarlier = earlier !== undefined && hasTable(db, earlier.table);
        if (isEarlier) keepCopy(db, `${file}.format-${found}`, earlier);
        db.pragma('journal_mode = WAL');
        db.pragma(`journal_size_limit = ${MOST_LOG_BYTES}`);
        db.pragma(`synchronous = ${synchronous}`);
        db.exec(schema);
        addColumns(db, laterColumns);
        if (isEarlier) upgradeOnce(db, format, earlier);
      });
      return db;
    } catch (cause) {
      db.close();
      throw cause;
    }
  });
}

function hasTable(db: Database.Database, table: string): boolean {
  return db.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(table) !== undefined;
}

/** Several processes may start on an old file at once: the second finds the work done. */
function upgradeOnce(db: Database.Database, format: number, { table, upgrade }: EarlierFormat): void {
  const work = db.transaction(() => {
    if (!hasTable(db, table)) return;
    upgrade(db);
    db.pragma(`user_version = ${format}`);
  });
  work.immediate();
}

/** Copies the file as it is. A copy of what another process has upgraded meanwhile is thrown away. */
function keepCopy(db: Database.Database, to: string, { table }: EarlierFormat): void {
  const part = `${to}.${process.pid}.part`;
  rmSync(part, { force: true });
  // SQLite writes into an empty file, and keeps its mode.
  makePrivateDatabase(part);
  db.prepare<[string]>('VACUUM INTO ?').run(part);
  const copy = new Database(part, { readonly: true });
  const isAsItWas = hasTable(copy, table);
  copy.close();
  if (!isAsItWas) {
    rmSync(part);
    return;
  }
  syncPath(part);
  moveIntoPlace(part, to);
}
