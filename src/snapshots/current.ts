import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { SnapshotManifest, StoredSnapshot } from '../shared/contract/manifest.ts';
import { isSnapshotId, parseManifest } from '../shared/snapshots.ts';
import { currentLink, innerLink, snapshotsFolder } from './folders.ts';

/**
 * Returns the snapshot in service, or null when none is published yet. Its folder is the snapshot's own, not the link,
 * so it stays the same when another snapshot is published.
 * @throws Error when the link points to nothing or the manifest cannot be read.
 */
export function currentSnapshot(dataDir: string): StoredSnapshot | null {
  if (!hasCurrentLink(dataDir)) return null;
  const link = currentLink(dataDir);
  if (!existsSync(link)) {
    throw new Error(
      `${link} points to a snapshot that does not exist: put another into service ("land-lookup snapshot use") or import again`,
    );
  }
  const dir = realpathSync(link);
  return { id: basename(dir), dir, manifest: readManifest(dir) };
}

/** Says whether a snapshot was ever put into service; the link may lead nowhere. */
export function hasCurrentLink(dataDir: string): boolean {
  return lstatSync(linkInService(dataDir), { throwIfNoEntry: false }) !== undefined;
}

/** Returns the link that names the snapshot in service: `current`, or the one in the folder of snapshots that it leads to. */
export function linkInService(dataDir: string): string {
  const link = currentLink(dataDir);
  const isLink = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink && resolve(dataDir, readlinkSync(link)) === resolve(innerLink(dataDir)) ? innerLink(dataDir) : link;
}

/** Does the same as `currentSnapshot`. @throws Error that says how to make a snapshot when there is none. */
export function requireCurrentSnapshot(dataDir: string): StoredSnapshot {
  const snapshot = currentSnapshot(dataDir);
  if (snapshot) return snapshot;
  throw new Error(`there is no snapshot in ${dataDir}: import one with "land-lookup load-layers" and "load-addresses"`);
}

/** Returns every published snapshot, oldest first. @throws Error when a manifest cannot be read. */
export function listSnapshots(dataDir: string): StoredSnapshot[] {
  return published(dataDir)
    .map((found) => ({ ...found, manifest: readManifest(found.dir) }))
    .sort(byAge);
}

/** Returns the published snapshots whose manifests can be read, newest first. */
export function readableSnapshots(dataDir: string): StoredSnapshot[] {
  return published(dataDir)
    .flatMap((found) => {
      try {
        return [{ ...found, manifest: readManifest(found.dir) }];
      } catch {
        return [];
      }
    })
    .sort(byAge)
    .reverse();
}

function published(dataDir: string): Pick<StoredSnapshot, 'id' | 'dir'>[] {
  const folder = snapshotsFolder(dataDir);
  const ids = existsSync(folder) ? readdirSync(folder).filter(isSnapshotId) : [];
  return ids.map((id) => ({ id, dir: join(folder, id) }));
}

function byAge(a: StoredSnapshot, b: StoredSnapshot): number {
  return a.manifest.createdAt.localeCompare(b.manifest.createdAt);
}

/** @throws Error when the manifest cannot be read or is of another format. */
export function readManifest(dir: string): SnapshotManifest {
  const file = join(dir, 'manifest.json');
  return parseManifest(readFileSync(file, 'utf8'), file);
}
