import { closeSync, fsyncSync, openSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Replaces a file as a whole, also when the machine loses its power: a reader finds the file before or the file after. What is unfinished is
 * `FILE.part`, so only one process may replace a file at a time.
 */
export async function replaceFile(file: string, write: (part: FileHandle) => Promise<void>): Promise<void> {
  const part = `${file}.part`;
  const target = await open(part, 'w');
  try {
    await write(target);
    await target.sync();
  } finally {
    await target.close();
  }
  moveIntoPlace(part, file);
}

/** Does the same at once, for something short. */
export function replaceFileSync(file: string, content: string): void {
  const part = `${file}.part`;
  writeFileSync(part, content, { flush: true });
  moveIntoPlace(part, file);
}

/** Gives a finished folder its name, with all files that are in it on the disk. */
export function moveFolderIntoPlace(folder: string, path: string): void {
  for (const name of readdirSync(folder)) syncPath(join(folder, name));
  syncPath(folder);
  moveIntoPlace(folder, path);
}

/** Gives a file, a folder or a link its name. What it holds must be on the disk already. */
export function moveIntoPlace(part: string, path: string): void {
  renameSync(part, path);
  try {
    syncPath(dirname(path));
  } catch (cause) {
    if (!CANNOT_SYNC.has((cause as NodeJS.ErrnoException).code!)) throw cause;
  }
}

/** Some file systems keep no names by themselves, and a folder that may be written may be one that must not be read. */
const CANNOT_SYNC: ReadonlySet<string> = new Set(['EINVAL', 'ENOTSUP', 'EACCES', 'EPERM']);

/** Waits until the content of a file, or the names in a folder, are on the disk. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
