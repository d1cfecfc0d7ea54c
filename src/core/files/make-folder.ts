import { existsSync, mkdirSync, chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it that are missing, one after the other: for several at once Node.js says ENOENT on a read-only disk, as if the path
 * were wrong, and tries without end where the system lets nobody make one, as in /proc.
 * @throws Error with the reason.
 */
export function makeFolder(folder: string, mode?: number): void {
  const above = dirname(folder);
  if (above !== folder && !existsSync(above)) makeFolder(above, mode);
  try {
    mkdirSync(folder, mode);
  } catch (cause) {
    const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
    if (!isThere) throw cause;
  }
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
