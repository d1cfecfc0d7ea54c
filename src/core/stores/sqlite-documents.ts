import type Database from 'better-sqlite3';
import { openStore, type EarlierFormat } from '../files/open-store.ts';
import { scrub } from '../files/scrub.ts';
import {
  ATTEMPTS,
  isContended,
  isTaken,
  parseDocument,
  type Change,
  type Collection,
  type Documents,
  type Reading,
  type Which,
} from './documents.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS document (
    collection TEXT NOT NULL, id TEXT NOT NULL, text TEXT NOT NULL, is_open INTEGER NOT NULL,
    customer TEXT AS (text ->> '$.customer') VIRTUAL,
    PRIMARY KEY (collection, id)) STRICT;
  CREATE INDEX IF NOT EXISTS document_open ON document (collection) WHERE is_open;
  CREATE INDEX IF NOT EXISTS document_customer ON document (collection, customer) WHERE customer IS NOT NULL;
  CREATE TABLE IF NOT EXISTS unique_value (
    collection TEXT NOT NULL, value TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (collection, value)) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS unique_value_of ON unique_value (collection, id);
  CREATE TABLE IF NOT EXISTS log (seq INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS raised (
    collection TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (collection, name)) STRICT, WITHOUT ROWID;
`;

/** Time that another process may hold the file before a statement fails. */
const BUSY_TIMEOUT_MS = 5000;

/** Documents in an SQLite file that the processes of one machine share. A statement takes microseconds, so it may run on the main thread. */
export class SqliteDocuments implements Documents {
  readonly #db: Database.Database;
  readonly #get: Database.Statement<[string, string], string>;
  readonly #find: Database.Statement<[string, string], string>;

  /** Opens the file, and makes it and its folder when they are missing. @throws Error when a later version wrote it. */
  constructor(options: { readonly file: string; readonly format: number; readonly earlier: EarlierFormat }) {
    this.#db = openStore({ ...options, schema: SCHEMA, busyTimeoutMs: BUSY_TIMEOUT_MS, synchronous: 'FULL' });
    this.#get = this.#db
      .prepare<[string, string], string>('SELECT text FROM document WHERE collection = ? AND id = ?')
      .pluck();
    this.#find = this.#db
      .prepare<[string, string], string>(
        'SELECT text FROM unique_value JOIN document USING (collection, id) WHERE collection = ? AND value = ?',
      )
      .pluck();
  }

  get<T>(collection: Collection<T>, id: string): Promise<T | null> {
    return settle(() => this.#read(collection, id));
  }

  find<T>(collection: Collection<T>, value: string): Promise<T | null> {
    return settle(() => {
      const text = this.#find.get(collection.name, value);
      return text === undefined ? null : parseDocument(collection, text);
    });
  }

  list<T>(collection: Collection<T>, { customer, open }: Which = {}): Promise<T[]> {
    const conditions = [
      'collection = @name',
      ...(customer === undefined ? [] : ['customer = @customer']),
      ...(open ? ['is_open'] : []),
    ];
    return settle(() =>
      this.#db
        .prepare<[object], string>(`SELECT text FROM document WHERE ${conditions.join(' AND ')}`)
        .pluck()
        .all({ name: collection.name, ...(customer === undefined ? {} : { customer }) })
        .map((text) => parseDocument(collection, text)),
    );
  }

  update<T>(collection: Collection<T>, id: string, change: (before: T | null) => Change<T>): Promise<T | null> {
    const work = this.#db.transaction(() => this.#change(collection, id, change));
    // Immediate, because a transaction that reads first and writes later fails when another process writes in between.
    return settle(() => work.immediate());
  }

  async updateAfter<T>(
    collection: Collection<T>,
    id: string,
    prepare: (read: Reading) => Promise<(before: T | null) => Change<T>>,
  ): Promise<T | null> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const seen: (() => boolean)[] = [];
      const change = await prepare((other, otherId) => {
        const text = this.#get.get(other.name, otherId);
        seen.push(() => this.#get.get(other.name, otherId) === text);
        return settle(() => (text === undefined ? null : parseDocument(other, text)));
      });
      const work = this.#db.transaction(() =>
        seen.every((isAsItWas) => isAsItWas()) ? { after: this.#change(collection, id, change) } : null,
      );
      const done = work.immediate();
      if (done) return done.after;
    }
    throw isContended(collection, id);
  }

  log(): Promise<readonly object[]> {
    return settle(() =>
      this.#db
        .prepare<[], string>('SELECT text FROM log ORDER BY seq')
        .pluck()
        .all()
        .map((text) => JSON.parse(text) as object),
    );
  }

  rewriteLog(change: (entry: object) => object | null): Promise<number> {
    const rewrite = this.#db.prepare<[string, number]>('UPDATE log SET text = ? WHERE seq = ?');
    const work = this.#db.transaction(() => {
      const entries = this.#db.prepare<[], [number, string]>('SELECT seq, text FROM log').raw().all();
      const changed = entries.flatMap(([seq, text]) => {
        const after = change(JSON.parse(text) as object);
        return after === null ? [] : [{ seq, text: JSON.stringify(after) }];
      });
      for (const { seq, text } of changed) rewrite.run(text, seq);
      return changed.length;
    });
    return settle(() => work.immediate());
  }

  scrub(): Promise<void> {
    return scrub(this.#db);
  }

  raise(group: string, texts: ReadonlyMap<string, string>): Promise<void> {
    const raise = this.#db.prepare<[string, string, string]>(
      'INSERT INTO raised VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET text = max(text, excluded.text)',
    );
    return settle(() => {
      // Written each minute, and of little worth: a loss of power may take the last. All else is on the disk when it is committed.
      this.#db.pragma('synchronous = NORMAL');
      try {
        this.#db.transaction(() => {
          for (const [name, text] of texts) raise.run(group, name, text);
        })();
      } finally {
        this.#db.pragma('synchronous = FULL');
      }
    });
  }

  raised(group: string, names?: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const some = names ? ' AND name IN (SELECT value FROM json_each(?))' : '';
    return settle(() => {
      const select = this.#db.prepare<string[], [string, string]>(
        `SELECT name, text FROM raised WHERE collection = ?${some}`,
      );
      return new Map(select.raw().all(group, ...(names ? [JSON.stringify(names)] : [])));
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return settle(() => {
      this.#db.close();
    });
  }

  /** In a transaction of the caller. */
  #change<T>(collection: Collection<T>, id: string, change: (before: T | null) => Change<T>): T | null {
    const before = this.#read(collection, id);
    const after = change(before);
    if (after === null) return before;
    this.#db.prepare('DELETE FROM unique_value WHERE collection = ? AND id = ?').run(collection.name, id);
    if (after === 'remove') {
      this.#db.prepare('DELETE FROM document WHERE collection = ? AND id = ?').run(collection.name, id);
      return null;
    }
    this.#write(collection, id, after.record);
    if (after.audit) this.#db.prepare('INSERT INTO log (text) VALUES (?)').run(JSON.stringify(after.audit));
    return after.record;
  }

  #read<T>(collection: Collection<T>, id: string): T | null {
    const text = this.#get.get(collection.name, id);
    return text === undefined ? null : parseDocument(collection, text);
  }

  #write<T>(collection: Collection<T>, id: string, record: T): void {
    const { name, unique, open } = collection;
    const insert = this.#db.prepare('INSERT OR IGNORE INTO unique_value VALUES (?, ?, ?)');
    for (const value of unique?.of(record) ?? []) {
      if (insert.run(name, value, id).changes === 0) throw isTaken(collection, id);
    }
    this.#db
      .prepare('INSERT OR REPLACE INTO document (collection, id, text, is_open) VALUES (?, ?, ?, ?)')
      .run(name, id, JSON.stringify(record), open?.has(record) ? 1 : 0);
  }
}

/** Turns a synchronous result or failure into a promise, for the interface that all stores share. */
function settle<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}
