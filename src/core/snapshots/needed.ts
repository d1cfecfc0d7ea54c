import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { moveIntoPlace } from '../files/replace.ts';
import { isSnapshotId } from '../../messages/manifest.ts';
import { neededFile } from './folders.ts';

/**
 * Returns the ids of the snapshots that unfinished batches need. Commands read them from a file, because the user of the import may not open
 * the queue (docs/decisions/0073).
 * @throws Error when the file cannot be read.
 */
export function readNeeded(dataDir: string): ReadonlySet<string> {
  const file = neededFile(dataDir);
  return new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(isSnapshotId) : []);
}

/** Writes what `readNeeded` reads, unless it is written already. */
export function writeNeeded(dataDir: string, ids: ReadonlySet<string>): void {
  const before = readNeeded(dataDir);
  if (before.size === ids.size && [...ids].every((id) => before.has(id))) return;
  const file = neededFile(dataDir);
  // The processes of a machine write the same; each has a name of its own until the rename.
  const next = `${file}.${process.pid}`;
  writeFileSync(next, [...ids].map((id) => `${id}\n`).join(''), { flush: true });
  // Whatever the umask: it holds no secret, and another user reads it.
  chmodSync(next, 0o644);
  moveIntoPlace(next, file);
}
