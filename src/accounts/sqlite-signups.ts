import type Database from 'better-sqlite3';
import { byAge, FINISHED, type SignupChange, type SignupRecord, type SignupStore } from './signup-store.ts';

const SCHEMA = `
  -- The record is JSON, so that a new member needs no new column.
  CREATE TABLE IF NOT EXISTS signup (
    id TEXT PRIMARY KEY, is_finished INTEGER NOT NULL, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS signup_unfinished ON signup (id) WHERE NOT is_finished;
`;

/** Sign-ups in the SQLite file of the keys. */
export class SqliteSignups implements SignupStore {
  readonly #db: Database.Database;
  readonly #find: Database.Statement<[string], string>;

  constructor(db: Database.Database) {
    db.exec(SCHEMA);
    this.#db = db;
    this.#find = db.prepare<[string], string>('SELECT record FROM signup WHERE id = ?').pluck();
  }

  find(id: string): Promise<SignupRecord | null> {
    return settle(() => this.#read(id));
  }

  list(which: 'all' | 'unfinished'): Promise<readonly SignupRecord[]> {
    const rows = this.#db.prepare<[], string>(
      `SELECT record FROM signup ${which === 'all' ? '' : 'WHERE NOT is_finished'}`,
    );
    return settle(() =>
      rows
        .pluck()
        .all()
        .map((text) => JSON.parse(text) as SignupRecord)
        .sort(byAge),
    );
  }

  update(id: string, change: (before: SignupRecord | null) => SignupChange): Promise<SignupRecord | null> {
    const work = this.#db.transaction(() => {
      const before = this.#read(id);
      const after = change(before);
      if (after === null) return before;
      if (after === 'remove') {
        this.#db.prepare('DELETE FROM signup WHERE id = ?').run(id);
        return null;
      }
      this.#db
        .prepare('INSERT OR REPLACE INTO signup VALUES (?, ?, ?)')
        .run(id, FINISHED.includes(after.state) ? 1 : 0, JSON.stringify(after));
      return after;
    });
    return settle(() => work.immediate());
  }

  #read(id: string): SignupRecord | null {
    const text = this.#find.get(id);
    return text === undefined ? null : (JSON.parse(text) as SignupRecord);
  }
}

/** Turns a synchronous result or failure into a promise, for the interface that all stores share. */
export function settle<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}
