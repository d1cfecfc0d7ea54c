import { join } from 'node:path';

/** Names of the files and folders in the data folder (docs/architecture.md). */
export const snapshotsFolder = (dataDir: string): string => join(dataDir, 'snapshots');
export const currentLink = (dataDir: string): string => join(dataDir, 'current');
/** Folder of all downloads, with one folder per data set. */
export const sourcesFolder = (dataDir: string): string => join(dataDir, 'sources');
export const importLockFile = (dataDir: string): string => join(dataDir, 'import.lock');

/**
 * Prefix of a snapshot under construction. A folder that remains after its import comes from a killed one and may be
 * deleted.
 */
export const buildingPrefix = 'building-';

const idPattern = /^\d{8}T\d{6}Z-[0-9a-f]{12}$/;

/** Says whether the text is a snapshot's id, and therefore safe as a folder name. */
export function isSnapshotId(text: string): boolean {
  return idPattern.test(text);
}

/** `<UTC yyyymmddThhmmssZ>-<first 12 hex digits of the content's SHA-256>`. */
export function snapshotId(createdAt: Date, sha256: string): string {
  const time = createdAt
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:]/g, '');
  return `${time}-${sha256.slice(0, 12)}`;
}
