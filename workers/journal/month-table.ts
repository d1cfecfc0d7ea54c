import { randomUUID } from 'node:crypto';
import type { Database, Statement } from 'better-sqlite3';
import { DAY_MS, monthOf } from '../../src/messages/time.ts';

/** Months are kept for this long after they began. */
const KEPT_MS = 400 * DAY_MS;

const SCHEMA = `
  CREATE TABLE month_use (
    key_id TEXT NOT NULL,
    -- 2026-11, UTC.
    month TEXT NOT NULL,
    lookups INTEGER NOT NULL,
    PRIMARY KEY (key_id, month)) STRICT, WITHOUT ROWID;
  INSERT INTO month_use
    SELECT key_id, strftime('%Y-%m', at_ms / 1000, 'unixepoch'), count(*) FROM usage GROUP BY 1, 2;
  -- The name of this journal: one row.
  CREATE TABLE journal (id TEXT NOT NULL) STRICT;
`;

/** Makes what journals of earlier versions lack. Immediate, because several processes may start on one at once. */
export function addMonths(db: Database): void {
  const isThere = db.prepare<[], number>(`SELECT count(*) FROM sqlite_schema WHERE name = 'month_use'`).pluck();
  if (isThere.get() === 1) return;
  const add = db.transaction(() => {
    if (isThere.get() === 1) return;
    db.exec(SCHEMA);
    db.prepare<[string]>('INSERT INTO journal VALUES (?)').run(randomUUID());
  });
  add.immediate();
}

/** Lookups by key and month, for budgets. They stay when lookups are deleted. */
export class MonthTable {
  readonly #lookups: Statement<[string, string], number>;
  readonly #add: Statement<[string, string, number]>;
  readonly #prune: Statement<[string]>;
  readonly #journalId: Statement<[], string>;

  constructor(db: Database) {
    this.#lookups = db
      .prepare<[string, string], number>('SELECT lookups FROM month_use WHERE key_id = ? AND month = ?')
      .pluck();
    this.#add = db.prepare(
      'INSERT INTO month_use VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET lookups = lookups + excluded.lookups',
    );
    this.#prune = db.prepare('DELETE FROM month_use WHERE month < ?');
    this.#journalId = db.prepare<[], string>('SELECT id FROM journal').pluck();
  }

  get journalId(): string {
    return this.#journalId.get()!;
  }

  lookups(keyId: string, month: string): number {
    return this.#lookups.get(keyId, month) ?? 0;
  }

  add(keyId: string, month: string, lookups: number): void {
    if (lookups > 0) this.#add.run(keyId, month, lookups);
  }

  prune(nowMs: number): void {
    this.#prune.run(monthOf(nowMs - KEPT_MS));
  }
}
