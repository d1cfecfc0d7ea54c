import { hash } from 'node:crypto';
import type Database from 'better-sqlite3';
import { tables } from '../../engine/cells/format.ts';

/** Writes the table of attribute values (`tables.values`): stores each different array once, as JSON text. */
export class ValuesWriter {
  readonly #insert: Database.Statement<[number, Buffer]>;
  /**
   * By a hash of 128 bits instead of the text, because there may be a million different texts, such as those of wells.
   */
  readonly #ids = new Map<string, number>();

  constructor(db: Database.Database) {
    this.#insert = db.prepare(`INSERT INTO ${tables.values} VALUES (?, ?)`);
  }

  /** Returns the row id of the text. */
  idOf(text: string): number {
    const key = hash('md5', text, 'base64');
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.#ids.size + 1;
      this.#ids.set(key, id);
      this.#insert.run(id, Buffer.from(text));
    }
    return id;
  }
}
