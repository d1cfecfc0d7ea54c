import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { moveFolderIntoPlace, moveIntoPlace } from '../files/replace.ts';
import { type SnapshotManifest, isSnapshotId } from '../../messages/manifest.ts';
import { idNamedInService, linkInService } from './current.ts';
import { snapshotsFolder } from './folders.ts';

/**
 * Puts a finished building folder into service as a snapshot. Everything is on the disk before the one rename that
 * readers see, so a crash leaves either the old snapshot or the new one.
 */
export function publishSnapshot(dataDir: string, building: string, manifest: SnapshotManifest): void {
  storeSnapshot(dataDir, building, manifest);
  useSnapshot(dataDir, manifest.id);
}

/** Makes a snapshot of a finished building folder, which is then on the disk, and leaves in service what is. */
export function storeSnapshot(dataDir: string, building: string, manifest: SnapshotManifest): void {
  writeFileSync(join(building, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  moveFolderIntoPlace(building, join(snapshotsFolder(dataDir), manifest.id));
}

/**
 * Puts a stored snapshot into service.
 * @throws Error when there is no such snapshot, or it is deleted in this moment: then the one before stays in service.
 */
export function useSnapshot(dataDir: string, id: string): void {
  const manifest = join(snapshotsFolder(dataDir), id, 'manifest.json');
  if (!isSnapshotId(id) || !existsSync(manifest)) throw new Error(`there is no snapshot "${id}"`);
  const before = idNamedInService(dataDir);
  nameInService(dataDir, id);
  if (existsSync(manifest)) return;
  if (before !== null) nameInService(dataDir, before);
  throw new Error(`snapshot ${id} is being deleted`);
}

function nameInService(dataDir: string, id: string): void {
  const link = linkInService(dataDir);
  const next = `${link}.next`;
  rmSync(next, { force: true });
  symlinkSync(relative(dirname(link), join(snapshotsFolder(dataDir), id)), next);
  moveIntoPlace(next, link);
}
