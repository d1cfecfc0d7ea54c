import type { Database } from 'better-sqlite3';

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
