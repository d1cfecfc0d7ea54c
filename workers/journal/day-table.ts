import type { Database, Statement } from 'better-sqlite3';
import type { DayRow, JournalReads } from '../../src/messages/journal.ts';
import { DAY_MS, dayOf, monthOf } from '../../src/messages/time.ts';
import { randomUUID } from 'node:crypto';

/** Days are kept for this long. */
const KEPT_MS = 400 * DAY_MS;

/** Earlier versions did not tell rows of batches from lookups: theirs count as lookups. */
const DAY_SCHEMA = `
  CREATE TABLE day_use (
    key_id TEXT NOT NULL,
    -- 2026-11-22, UTC.
    day TEXT NOT NULL,
    -- Empty: not billed.
    customer TEXT NOT NULL,
    lookups INTEGER NOT NULL,
    batch_rows INTEGER NOT NULL,
    PRIMARY KEY (key_id, day, customer)) STRICT, WITHOUT ROWID;
  INSERT INTO day_use
    SELECT key_id, strftime('%Y-%m-%d', at_ms / 1000, 'unixepoch'), coalesce(customer, ''), count(*), 0 FROM usage GROUP BY 1, 2, 3;
`;

/** Makes what journals of earlier versions lack. Immediate, because several processes may start on one at once. */
export function addDays(db: Database): void {
  const isThere = db.prepare<[], number>(`SELECT count(*) FROM sqlite_schema WHERE name = 'day_use'`).pluck();
  if (isThere.get() === 1) return;
  const add = db.transaction(() => {
    if (isThere.get() === 0) db.exec(DAY_SCHEMA);
  });
  add.immediate();
}

/** Lookups and rows of batches by key, day and customer, for accounts. They stay when lookups are deleted. */
export class DayTable {
  readonly #add: Statement<[string, string, string, number, number]>;
  readonly #prune: Statement<[string]>;

  constructor(db: Database) {
    this.#add = db.prepare(
      `INSERT INTO day_use VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
         lookups = lookups + excluded.lookups, batch_rows = batch_rows + excluded.batch_rows`,
    );
    this.#prune = db.prepare('DELETE FROM day_use WHERE day < ?');
  }

  add({ keyId, day, customer, lookups, batchRows }: DayRow): void {
    if (lookups + batchRows > 0) this.#add.run(keyId, day, customer ?? '', lookups, batchRows);
  }

  prune(nowMs: number): void {
    this.#prune.run(dayOf(nowMs - KEPT_MS));
  }
}

const COLUMNS = `key_id AS keyId, day, nullif(customer, '') AS customer, lookups, batch_rows AS batchRows`;

/** Returns the days of some keys on which they had lookups, oldest first. */
export function usageByDay(db: Database, { keyIds, fromDay, toDay }: JournalReads['usageByDay'][0]): DayRow[] {
  return db
    .prepare<[string, string, string], DayRow>(
      `SELECT ${COLUMNS} FROM day_use
       WHERE key_id IN (SELECT value FROM json_each(?)) AND day BETWEEN ? AND ? ORDER BY day, key_id, customer`,
    )
    .all(JSON.stringify(keyIds), fromDay, toDay);
}

/** Returns the days of a customer and of some keys, oldest first. */
export function usageOfHolder(db: Database, { customer, keyIds }: JournalReads['usageOfHolder'][0]): DayRow[] {
  return db
    .prepare<[string, string], DayRow>(
      `SELECT ${COLUMNS} FROM day_use
       WHERE key_id IN (SELECT value FROM json_each(?)) OR customer = ? ORDER BY day, key_id, customer`,
    )
    .all(JSON.stringify(keyIds), customer ?? 'none');
}

/** Months are kept for this long after they began. */

const MONTH_SCHEMA = `
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
    db.exec(MONTH_SCHEMA);
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
