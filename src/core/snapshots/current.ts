import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { readSmallFile } from '../files/read-small-file.ts';
import {
  type SnapshotManifest,
  type StoredSnapshot,
  isSnapshotId,
  parseManifest,
  REPAIR,
} from '../../messages/manifest.ts';
import { currentLink, innerLink, snapshotsFolder } from './folders.ts';

/**
 * Returns the snapshot in service, or null when none is published yet. Its folder is the snapshot's own, not the link,
 * so it stays the same when another snapshot is published.
 * @throws Error that says what to do when the link points to nothing or the manifest cannot be read.
 */
export function currentSnapshot(dataDir: string): StoredSnapshot | null {
  if (!hasCurrentLink(dataDir)) return null;
  const link = currentLink(dataDir);
  if (!existsSync(link)) throw new Error(`${link} points to a snapshot that does not exist: ${REPAIR}`);
  const dir = realpathSync(link);
  try {
    return { id: basename(dir), dir, manifest: readManifest(dir) };
  } catch (cause) {
    throw new Error(`the snapshot in service cannot be read (${(cause as Error).message}): ${REPAIR}`, { cause });
  }
}

/** Returns the id of the snapshot in service, whatever its state; null when the link leads nowhere or there is none. */
export function idInService(dataDir: string): string | null {
  const link = currentLink(dataDir);
  return existsSync(link) ? basename(realpathSync(link)) : null;
}

/** Returns the id that the link names, whether or not there is such a snapshot; null when there is no link. */
export function idNamedInService(dataDir: string): string | null {
  return hasCurrentLink(dataDir) ? basename(readlinkSync(linkInService(dataDir))) : null;
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

/** Returns the snapshot in service. @throws Error that says what to import when there is none. */
export function requireCurrentSnapshot(dataDir: string): StoredSnapshot {
  const snapshot = currentSnapshot(dataDir);
  if (snapshot) return snapshot;
  throw new Error(`there is no snapshot in ${dataDir}: import one with "land-lookup load-layers" and "load-addresses"`);
}

/**
 * Returns the snapshot in service, which can be served unless its file is damaged.
 * @throws Error that says what to import when there is none, or when it has no outline of the province: without it nothing tells whether a
 * place is inside.
 */
export function requireServableSnapshot(dataDir: string): StoredSnapshot {
  const snapshot = requireCurrentSnapshot(dataDir);
  const missing = missingLayers(snapshot.manifest);
  if (missing !== null) throw new Error(`the snapshot in service, ${snapshot.id}, ${missing}`);
  return snapshot;
}

/** Says why a snapshot cannot be served however good its file is, and what to import; null: it can. */
export function missingLayers({ dataSets }: SnapshotManifest): string | null {
  if ('province' in dataSets) return null;
  return Object.keys(dataSets).length === 0
    ? 'has addresses but no layers yet: import them with "land-lookup load-layers"'
    : 'lacks the outline of the province: import it with "land-lookup load-layers --only province"';
}

/** Says which lookups a snapshot cannot answer, and what to import; null: it answers all. */
export function missingAddresses({ gazetteer }: SnapshotManifest): string | null {
  return gazetteer
    ? null
    : 'has no address register, so lookups of addresses get 503: import it with "land-lookup load-addresses"';
}

/** Returns every published snapshot, those that can be read oldest first, then the others. */
export function listSnapshots(
  dataDir: string,
): readonly (StoredSnapshot | (Pick<StoredSnapshot, 'id' | 'dir'> & { readonly fault: string }))[] {
  const all = published(dataDir).map((found): ReturnType<typeof listSnapshots>[number] => {
    try {
      return { ...found, manifest: readManifest(found.dir) };
    } catch (cause) {
      return { ...found, fault: (cause as Error).message };
    }
  });
  const readable = all.filter((one) => 'manifest' in one);
  readable.sort((a, b) => a.manifest.createdAt.localeCompare(b.manifest.createdAt));
  return [...readable, ...all.filter((one) => 'fault' in one)];
}

/** Returns the published snapshots whose manifests can be read, newest first. */
export function readableSnapshots(dataDir: string): StoredSnapshot[] {
  return listSnapshots(dataDir)
    .filter((one) => 'manifest' in one)
    .reverse();
}

function published(dataDir: string): Pick<StoredSnapshot, 'id' | 'dir'>[] {
  const folder = snapshotsFolder(dataDir);
  const ids = existsSync(folder) ? readdirSync(folder).filter(isSnapshotId) : [];
  return ids.map((id) => ({ id, dir: join(folder, id) }));
}

/** Far above the manifest of any snapshot. */
const MOST_MANIFEST_BYTES = 32 * 1024 ** 2;

/** @throws Error when the manifest cannot be read or is of another format. */
export function readManifest(dir: string): SnapshotManifest {
  const file = join(dir, 'manifest.json');
  return parseManifest(readSmallFile(file, MOST_MANIFEST_BYTES), file);
}
