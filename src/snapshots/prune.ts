import { rmSync } from 'node:fs';
import { removeLeftovers } from './building.ts';
import { idInService, readableSnapshots } from './current.ts';
import { takeImportLock } from './import-lock.ts';
import { readNeeded } from './needed.ts';
import { removeAbandoned } from './pulling.ts';

/**
 * Deletes all but the newest `keep` snapshots, never the one in service, one that a batch needs or one whose manifest cannot be read, and what
 * imports left that did not finish.
 * Returns the names of the deleted folders.
 * @throws LockHeld while an import is running: it may copy from an old snapshot, and its own is not in service yet.
 */
export function pruneSnapshots(dataDir: string, keep: number): string[] {
  const lock = takeImportLock(dataDir);
  try {
    return [...removeLeftovers(dataDir), ...removeAbandoned(dataDir), ...removeOld(dataDir, keep)];
  } finally {
    lock[Symbol.dispose]();
  }
}

function removeOld(dataDir: string, keep: number): string[] {
  const kept = new Set([idInService(dataDir), ...readNeeded(dataDir)]);
  const gone = readableSnapshots(dataDir)
    .slice(keep)
    .reverse()
    .filter(({ id }) => !kept.has(id));
  for (const { dir } of gone) rmSync(dir, { recursive: true });
  return gone.map(({ id }) => id);
}
