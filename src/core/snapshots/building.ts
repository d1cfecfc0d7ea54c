import { readdirSync, rmSync, statfsSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { BuildingFolder, SnapshotManifest } from '../../messages/manifest.ts';
import { currentSnapshot, idNamedInService } from './current.ts';
import { buildingPrefix, snapshotsFolder, importLockFile } from './folders.ts';
import { makeFolder } from '../files/make-folder.ts';
import { storeSnapshot, useSnapshot } from './publish.ts';
import { takeLock } from '../files/lock.ts';
import { diskShortage, type DiskFloor } from '../../messages/disk-floor.ts';

/** A snapshot under construction, protected by the import lock. Disposing it without `publish` deletes it. */
interface Building extends BuildingFolder, Disposable {
  /**
   * Stores it, and puts it into service unless somebody has put another one into service since the import began: a roll-back stays. The folder holds a
   * verified `land.gpkg`. @returns the id that stays in service; null: the new one is.
   */
  publish(manifest: SnapshotManifest): string | null;
}

/** @throws Error when another import is running, or the disk has no room for a copy of the snapshot in service. */
export function startBuilding(dataDir: string, minFreeBytes = 0): Building {
  const lock = takeImportLock(dataDir);
  try {
    removeLeftovers(dataDir);
    const current = currentSnapshot(dataDir);
    const before = current?.id ?? null;
    checkDiskSpace({ folder: snapshotsFolder(dataDir), minFreeBytes }, current?.manifest.checksum.bytes);
    const folder = join(snapshotsFolder(dataDir), `${buildingPrefix}${process.pid}`);
    makeFolder(folder);
    return {
      folder,
      current,
      minFreeBytes,
      publish: (manifest) => {
        storeSnapshot(dataDir, folder, manifest);
        const chosen = idNamedInService(dataDir);
        if (chosen !== before) return chosen;
        useSnapshot(dataDir, manifest.id);
        return null;
      },
      [Symbol.dispose]: () => {
        rmSync(folder, { recursive: true, force: true });
        lock[Symbol.dispose]();
      },
    };
  } catch (cause) {
    lock[Symbol.dispose]();
    throw cause;
  }
}

/** Deletes what killed imports left. Returns the names of the deleted folders. The caller has the lock of imports. */
export function removeLeftovers(dataDir: string): string[] {
  const folder = snapshotsFolder(dataDir);
  makeFolder(folder);
  const leftovers = readdirSync(folder).filter((name) => name.startsWith(buildingPrefix));
  for (const name of leftovers) rmSync(join(folder, name), { recursive: true });
  return leftovers;
}

/** Takes the lock that admits one import at a time (see `takeLock`). */
export function takeImportLock(dataDir: string): Disposable {
  makeFolder(dataDir);
  return takeLock(importLockFile(dataDir), 'another import is running');
}

/** @throws Error when the disk has less than the floor left after `neededBytes` more. */
export function checkDiskSpace(floor: DiskFloor, neededBytes = 0): void {
  const { bavail, bsize } = statfsSync(floor.folder);
  const shortage = diskShortage(bavail * bsize, neededBytes, floor);
  if (shortage !== null) throw new Error(shortage);
}

/** Prefix of the folder of a snapshot that is being fetched. It stays when the process ends, and the next pull goes on with it. */
const pullingPrefix = 'pulling-';

/** Age from which a folder that no pull continued may be deleted. */
const ABANDONED_MS = 7 * 24 * 3600 * 1000;

/** Returns the folder in which a snapshot is fetched, and deletes those of others. The caller has the lock of imports. */
export function openPulling(dataDir: string, id: string): string {
  const folder = snapshotsFolder(dataDir);
  makeFolder(folder);
  const own = `${pullingPrefix}${id}`;
  for (const name of pullings(dataDir)) if (name !== own) rmSync(join(folder, name), { recursive: true });
  makeFolder(join(folder, own));
  return join(folder, own);
}

/** Deletes what pulls have left that nobody continued. Returns the names of the deleted folders. The caller has the lock of imports. */
export function removeAbandoned(dataDir: string): string[] {
  const folder = snapshotsFolder(dataDir);
  const old = pullings(dataDir).filter((name) => Date.now() - statSync(join(folder, name)).mtimeMs > ABANDONED_MS);
  for (const name of old) rmSync(join(folder, name), { recursive: true });
  return old;
}

function pullings(dataDir: string): string[] {
  const folder = snapshotsFolder(dataDir);
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(pullingPrefix)) : [];
}
