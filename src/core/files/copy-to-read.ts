import Database from 'better-sqlite3';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** In memory, because the disk of the databases may be full, and so that of `/tmp`. */
const SHARED_MEMORY = '/dev/shm';

/**
 * Copies databases of a folder, because SQLite makes files beside a database also to read it: on a disk that is full, read-only or another user's, it can
 * read a copy alone. Those that are not there are left out.
 * @throws Error when they cannot be read, or there is no room for the copies.
 */
export function copyToRead(
  from: string,
  names: readonly string[],
): Disposable & {
  readonly folder: string;
} {
  const folder = mkdtempSync(join(existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir(), 'land-lookup-'));
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const name of names) if (existsSync(join(from, name))) copy(join(from, name), join(folder, name));
    return { folder, [Symbol.dispose]: remove };
  } catch (cause) {
    remove();
    throw cause;
  }
}

/** Says whether SQLite can read a database where it is. */
export function isReadable(file: string): boolean {
  try {
    const db = new Database(file, { readonly: true, fileMustExist: true });
    try {
      db.pragma('user_version');
      return true;
    } finally {
      db.close();
    }
  } catch {
    return false;
  }
}

/** Where SQLite can read it, another process may write meanwhile, and SQLite makes the copy. Where it cannot, nobody has it open. */
function copy(from: string, to: string): void {
  if (isReadable(from)) {
    const db = new Database(from, { readonly: true, fileMustExist: true });
    try {
      db.prepare<[string]>('VACUUM INTO ?').run(to);
    } finally {
      db.close();
    }
    return;
  }
  copyFileSync(from, to);
  if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${to}-wal`);
}
