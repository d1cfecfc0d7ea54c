/** Opening the SQLite files of stores, those of other versions too. */
import { expect } from 'chai';
import Database from 'better-sqlite3';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../src/core/files/open-store.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';

const store = {
  format: 2,
  schema: 'CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT',
  laterColumns: { note: { author: `TEXT NOT NULL DEFAULT 'nobody'`, at: 'TEXT' } },
  busyTimeoutMs: 100,
  synchronous: 'FULL',
} as const;

describe('openStore', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let file: string;
  beforeEach(() => {
    folder = temporaryFolder();
    file = join(folder.path, 'notes', 'notes.sqlite');
  });
  afterEach(() => {
    folder[Symbol.dispose]();
  });

  it('makes the file and its folder, which are this user’s alone, and opens them again', () => {
    for (const notes of [0, 1]) {
      const db = openStore({ ...store, file });
      expect(db.prepare('SELECT count(*) FROM note').pluck().get()).to.equal(notes);
      expect(db.pragma('user_version', { simple: true })).to.equal(2);
      expect(db.pragma('journal_mode', { simple: true })).to.equal('wal');
      db.exec(`INSERT INTO note (text) VALUES ('kept')`);
      db.close();
    }
    expect(statSync(file).mode & 0o077).to.equal(0);
  });

  it('adds what files of earlier versions lack, and keeps what they have', () => {
    openStore({ ...store, file, format: 1, laterColumns: {} })
      .exec(`INSERT INTO note (text) VALUES ('old')`)
      .close();
    const db = openStore({ ...store, file });
    expect(db.prepare('SELECT text, author, at FROM note').all()).to.deep.equal([
      { text: 'old', author: 'nobody', at: null },
    ]);
    expect(db.pragma('user_version', { simple: true })).to.equal(2);
    db.close();
  });

  it('refuses the file of a later version, and leaves it as it is', () => {
    openStore({ ...store, file, format: 3, laterColumns: {} }).close();
    expect(() => openStore({ ...store, file })).to.throw(/was written by a later version of land-lookup \(format 3/);
    const db = new Database(file);
    expect(db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all('note')).to.deep.equal(['id', 'text']);
    db.close();
  });
});
