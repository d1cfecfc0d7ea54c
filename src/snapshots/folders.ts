import { join } from 'node:path';

/** Names of what lies in the data folder (architecture, section 4). */
export const snapshotsFolder = (dataDir: string): string => join(dataDir, 'snapshots');
export const currentLink = (dataDir: string): string => join(dataDir, 'current');
/** Everything that is downloaded, a folder a data set. */
export const sourcesFolder = (dataDir: string): string => join(dataDir, 'sources');
export const importLockFile = (dataDir: string): string => join(dataDir, 'import.lock');

/** A snapshot that is being built; one that outlives its import is rubbish of a killed one. */
export const buildingPrefix = 'building-';

const idPattern = /^\d{8}T\d{6}Z-[0-9a-f]{12}$/;

/** Whether the text is a snapshot's id, and so safe as a folder name. */
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
