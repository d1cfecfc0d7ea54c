import { rmSync } from 'node:fs';
import { removeUnfinished } from './building.ts';
import { currentSnapshot, listSnapshots } from './current.ts';

/**
 * Deletes all but the newest `keep` snapshots, never the one in service, and what imports left that did not finish. Returns the
 * names of the deleted folders.
 */
export function pruneSnapshots(dataDir: string, keep: number): string[] {
  const unfinished = removeUnfinished(dataDir);
  const current = currentSnapshot(dataDir)?.id;
  const snapshots = listSnapshots(dataDir);
  const gone = snapshots.slice(0, Math.max(0, snapshots.length - keep)).filter(({ id }) => id !== current);
  for (const { dir } of gone) rmSync(dir, { recursive: true });
  return [...unfinished, ...gone.map(({ id }) => id)];
}
