import { rmSync } from 'node:fs';
import { currentSnapshot, listSnapshots } from './current.ts';

/** Deletes all but the newest `keep` snapshots, and never the one in service. Returns the deleted ids. */
export function pruneSnapshots(dataDir: string, keep: number): string[] {
  const current = currentSnapshot(dataDir)?.id;
  const snapshots = listSnapshots(dataDir);
  const gone = snapshots.slice(0, Math.max(0, snapshots.length - keep)).filter(({ id }) => id !== current);
  for (const { dir } of gone) rmSync(dir, { recursive: true });
  return gone.map(({ id }) => id);
}
