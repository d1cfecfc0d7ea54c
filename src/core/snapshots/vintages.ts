/** The snapshots on the disk, and those that were there. */
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isSnapshotId } from '../../messages/manifest.ts';
import { moveIntoPlace } from '../files/replace.ts';
import { prunedFile, snapshotsFolder } from './folders.ts';

/** Most ids of pruned snapshots that are remembered: a refresh each night for ten years. */
const MOST_PRUNED = 3650;

/** Remembers snapshots that are about to be deleted, so that nobody is given an earlier one for a day that was theirs. */
export function notePruned(dataDir: string, ids: readonly string[]): void {
  const file = prunedFile(dataDir);
  const all = [...new Set([...readPruned(dataDir), ...ids])].sort().slice(-MOST_PRUNED);
  writeFileSync(`${file}.next`, all.map((id) => `${id}\n`).join(''), { flush: true });
  // Whatever the umask: the user of the service reads it, and it holds no secret.
  chmodSync(`${file}.next`, 0o644);
  moveIntoPlace(`${file}.next`, file);
}

/** Ids of snapshots that were deleted. */
export function readPruned(dataDir: string): string[] {
  const file = prunedFile(dataDir);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(isSnapshotId) : [];
}

/** Ids of the snapshots on the disk, the newest first: an id begins with its time. */
export function storedIds(dataDir: string): string[] {
  const folder = snapshotsFolder(dataDir);
  return existsSync(folder) ? readdirSync(folder).filter(isSnapshotId).sort().reverse() : [];
}
