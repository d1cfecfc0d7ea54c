import type { Database } from 'better-sqlite3';

/** Most bytes of a write-ahead log that stay when it begins anew: a log that grew while another program read the file gives its disk back. */
export const MOST_LOG_BYTES = 8 * 2 ** 20;

/** A store in an SQLite file, and the number of the format that this version writes (docs/decisions/0072). */
export interface StoreFormat {
  readonly file: string;
  /** From 1. Raised when a version before could not work with the file, or would spoil it. */
  readonly format: number;
}

/**
 * Makes or completes the tables of a store, and notes its format in the file (`user_version`; 0 in a new file and in those of version 0.1.0).
 * @throws Error when a later version wrote the file; it is then untouched.
 */
export function prepareStore(db: Database, { file, format }: StoreFormat, prepare: (found: number) => void): void {
  const found = refuseLaterFormat(db, { file, format });
  prepare(found);
  if (found < format) db.pragma(`user_version = ${format}`);
}

/** Columns by table, with their types, that files of earlier versions lack. Those can go on with them: each has a default, or may be null. */
export type LaterColumns = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Adds the columns that a file lacks. */
export function addColumns(db: Database, later: LaterColumns): void {
  if (missingColumns(db, later).length === 0) return;
  // Immediate, because several processes may start on an old file at once: the second finds nothing missing.
  const add = db.transaction(() => {
    for (const statement of missingColumns(db, later)) db.exec(statement);
  });
  add.immediate();
}

function missingColumns(db: Database, later: LaterColumns): string[] {
  const columnsOf = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck();
  return Object.entries(later).flatMap(([table, columns]) => {
    const present = new Set(columnsOf.all(table));
    const missing = Object.entries(columns).filter(([name]) => !present.has(name));
    return missing.map(([name, type]) => `ALTER TABLE ${table} ADD COLUMN ${name} ${type}`);
  });
}

/** Returns the format of a store. @throws Error when a later version wrote it. */
export function refuseLaterFormat(db: Database, { file, format }: StoreFormat): number {
  const found = Number(db.pragma('user_version', { simple: true }));
  if (found > format) throw new Error(laterFormat(file, found, format));
  return found;
}

/** Says that a file is of a version after this one. */
export function laterFormat(file: string, found: unknown, format: number): string {
  return (
    `${file} was written by a later version of land-lookup (format ${String(found)}; this version knows ${format}): ` +
    'install that version again, or restore a backup from before it'
  );
}
