import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredSnapshot } from '../../messages/manifest.ts';
import { DAY_MS, monthOf } from '../../messages/time.ts';
import { removeLeftovers } from './building.ts';
import { idInService, idNamedInService, missingLayers, readableSnapshots } from './current.ts';
import { buildingPrefix, snapshotsFolder } from './folders.ts';
import { takeImportLock } from './import-lock.ts';
import { readNeeded } from './needed.ts';
import { removeAbandoned } from './pulling.ts';
import { notePruned } from './vintages.ts';

/** Time in ms after which nobody goes back to the release before: its snapshot may go. */
const WAY_BACK_MS = 60 * DAY_MS;

/**
 * Deletes all but the newest `keep` snapshots and the last of each of the last `monthly` months (UTC, the present one is the first), never the one in service, one that a batch needs, one whose manifest cannot be read or, for 60 days, the newest whose addresses
 * an earlier release reads, and what imports left that did not finish.
 * Returns the names of the deleted folders.
 * @throws LockHeld while an import is running: it may copy from an old snapshot, and its own is not in service yet.
 */
export function pruneSnapshots(dataDir: string, keep: number, monthly = 0): string[] {
  const lock = takeImportLock(dataDir);
  try {
    return [...removeLeftovers(dataDir), ...removeAbandoned(dataDir), ...removeOld(dataDir, keep, monthly)];
  } finally {
    lock[Symbol.dispose]();
  }
}

function removeOld(dataDir: string, keep: number, monthly: number): string[] {
  const all = readableSnapshots(dataDir);
  const kept = new Set([idInService(dataDir), ...readNeeded(dataDir), wayBack(all), ...lastOfMonths(all, monthly)]);
  const old = all
    .slice(keep)
    .filter(({ id }) => !kept.has(id))
    .reverse();
  if (old.length > 0)
    notePruned(
      dataDir,
      old.map(({ id }) => id),
    );
  return old.filter((one) => remove(dataDir, one)).map(({ id }) => id);
}

/** Ids of the last snapshots of the last months that can be served. @param all newest first. */
function lastOfMonths(all: readonly StoredSnapshot[], months: number): string[] {
  const [year, month] = monthOf(Date.now()).split('-').map(Number) as [number, number];
  const wanted = Array.from({ length: months }, (_, i) => monthOf(Date.UTC(year, month - 1 - i)));
  const servable = all.filter(({ manifest }) => missingLayers(manifest) === null);
  return wanted.flatMap((one) => servable.find(({ manifest }) => manifest.createdAt.startsWith(one))?.id ?? []);
}

/** Id of the newest young snapshot that addresses of an earlier kind make readable to earlier releases; null: none. @param all newest first. */
function wayBack(all: readonly StoredSnapshot[]): string | null {
  const normaliser = ({ manifest }: StoredSnapshot): number => manifest.gazetteer?.normaliser ?? Infinity;
  const newest = Math.max(...all.map(normaliser).filter(Number.isFinite));
  const earlier = all.find((one) => normaliser(one) < newest);
  const isYoung = earlier && Date.now() - Date.parse(earlier.manifest.createdAt) < WAY_BACK_MS;
  return isYoung ? earlier.id : null;
}

/** Deletes a snapshot, unless somebody has put it into service meanwhile. Returns whether it did. */
function remove(dataDir: string, { id, dir }: Pick<StoredSnapshot, 'id' | 'dir'>): boolean {
  // First its name: from here on nobody can put it into service. When this process ends here, the next one deletes it.
  const leftover = join(snapshotsFolder(dataDir), buildingPrefix + id);
  renameSync(dir, leftover);
  if (idNamedInService(dataDir) === id) {
    renameSync(leftover, dir);
    return false;
  }
  rmSync(leftover, { recursive: true });
  return true;
}
