import { existsSync, mkdirSync, chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it that are missing.
 * @throws Error with the reason. On a read-only disk Node.js says ENOENT for a path of which several parts may be made, as if the path were wrong.
 */
export function makeFolder(folder: string, mode?: number): void {
  const options = { recursive: true, ...(mode === undefined ? {} : { mode }) };
  try {
    mkdirSync(folder, options);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    mkdirSync(firstMissing(folder));
    mkdirSync(folder, options);
  }
}

function firstMissing(folder: string): string {
  const above = dirname(folder);
  return above === folder || existsSync(above) ? folder : firstMissing(above);
}

/**
 * Makes the file of a database and its folder when they are missing, and lets nobody but its owner read or write it, whatever the umask. SQLite gives
 * new files beside it the same mode. What belongs to another user stays as it is.
 */
export function makePrivateDatabase(file: string): void {
  makeFolder(dirname(file));
  closeSync(openSync(file, 'a', 0o600));
  for (const ending of ['', '-wal', '-shm']) keepToOwner(file + ending, 0o600);
}

/** The same for a folder. */
export function makePrivateFolder(folder: string): void {
  makeFolder(folder, 0o700);
  keepToOwner(folder, 0o700);
}

function keepToOwner(path: string, wantedMode: number): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats && (stats.mode & 0o077) !== 0 && stats.uid === process.getuid?.()) chmodSync(path, wantedMode);
}
