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

/** What an operator does about failures, by the codes of SQLite and of the operating system. */
const advices: readonly (readonly [RegExp, string])[] = [
  [
    /^(SQLITE_(FULL|IOERR)|ENOSPC|EDQUOT|EIO)/,
    'check whether the disk is full (df) or failing (dmesg), and free some space',
  ],
  [
    /^(SQLITE_(READONLY|CANTOPEN|PERM|AUTH)|EROFS|EACCES|EPERM)/,
    'mount the disk for writing, and give the user of this process the rights to the file and its folder',
  ],
  [
    /^SQLITE_(CORRUPT|NOTADB)/,
    'the file is damaged: restore it from a backup, or move it aside, which loses what it holds',
  ],
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL)/, 'another process holds the file: try again, or end that process'],
  [/^(EMFILE|ENFILE)/, 'raise the limit of open files (LimitNOFILE, ulimit -n)'],
  [/^(ENOENT|ENOTDIR|EISDIR|EEXIST|ELOOP|ENAMETOOLONG)/, 'check the path'],
];

/** Returns what to do about an error with a code of SQLite or of the system; null for another one. */
export function adviceFor(cause: unknown): string | null {
  const code = codeOf(cause);
  return code === null ? null : (advices.find(([codes]) => codes.test(code))?.[1] ?? null);
}

/** A store that cannot be opened or used: its message names the file and says what to do. */
export class StoreFault extends Error {
  /** Of SQLite or of the system. */
  readonly code: string;

  constructor(file: string, cause: Error & { readonly code: string }, advice: string) {
    super(`${file} cannot be used (${cause.message}): ${advice}`, { cause });
    this.code = cause.code;
  }
}

/** Does work on the file of a store. @throws StoreFault in place of an error that says nothing of the file; other errors as they are. */
export function onStore<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const advice = cause instanceof StoreFault ? null : adviceFor(cause);
    throw advice === null ? cause : new StoreFault(file, cause as Error & { readonly code: string }, advice);
  }
}

function codeOf(cause: unknown): string | null {
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  return typeof code === 'string' ? code : null;
}
