import { rmSync } from 'node:fs';
import { removeUnfinished } from './building.ts';
import { idInService, readableSnapshots } from './current.ts';
import { readNeeded } from './needed.ts';

/**
 * Deletes all but the newest `keep` snapshots, never the one in service, one that a batch needs or one whose manifest cannot be read, and what
 * imports left that did not finish.
 * Returns the names of the deleted folders.
 */
export function pruneSnapshots(dataDir: string, keep: number): string[] {
  const unfinished = removeUnfinished(dataDir);
  const kept = new Set([idInService(dataDir), ...readNeeded(dataDir)]);
  const gone = readableSnapshots(dataDir)
    .slice(keep)
    .reverse()
    .filter(({ id }) => !kept.has(id));
  for (const { dir } of gone) rmSync(dir, { recursive: true });
  return [...unfinished, ...gone.map(({ id }) => id)];
}
