import type Database from 'better-sqlite3';

interface Change {
  readonly keyId: string;
  readonly day: string;
  readonly rows: number;
}

/** Rows that each key had accepted on each day, UTC. Its methods belong into a transaction. */
export class Allowance {
  readonly #used: Database.Statement<[string, string], number>;
  readonly #change: Database.Statement<[Change]>;
  readonly #forget: Database.Statement<[string]>;

  constructor(db: Database.Database) {
    this.#used = db
      .prepare<[string, string], number>('SELECT used FROM allowance WHERE key_id = ? AND day = ?')
      .pluck();
    this.#change = db.prepare(
      `INSERT INTO allowance VALUES (@keyId, @day, max(@rows, 0)) ON CONFLICT DO UPDATE SET used = max(used + @rows, 0)`,
    );
    this.#forget = db.prepare('DELETE FROM allowance WHERE day < ?');
  }

  used(keyId: string, day: string): number {
    return this.#used.get(keyId, day) ?? 0;
  }

  /** Adds rows to a day, or gives some back when the number is below 0. */
  change(change: Change): void {
    if (change.rows !== 0) this.#change.run(change);
  }

  /** Forgets the days before one. */
  forgetBefore(day: string): void {
    this.#forget.run(day);
  }
}
