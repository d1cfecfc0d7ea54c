import { rmSync } from 'node:fs';
import { removeUnfinished } from './building.ts';
import { currentSnapshot, listSnapshots } from './current.ts';
import { readNeeded } from './needed.ts';

/**
 * Deletes all but the newest `keep` snapshots, never the one in service or one that a batch needs, and what imports left that did not finish.
 * Returns the names of the deleted folders.
 */
export function pruneSnapshots(dataDir: string, keep: number): string[] {
  const unfinished = removeUnfinished(dataDir);
  const kept = new Set([currentSnapshot(dataDir)?.id, ...readNeeded(dataDir)]);
  const snapshots = listSnapshots(dataDir);
  const gone = snapshots.slice(0, Math.max(0, snapshots.length - keep)).filter(({ id }) => !kept.has(id));
  for (const { dir } of gone) rmSync(dir, { recursive: true });
  return [...unfinished, ...gone.map(({ id }) => id)];
}
