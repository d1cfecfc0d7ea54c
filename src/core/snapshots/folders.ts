import { join } from 'node:path';

/** Names of the files and folders in the data folder (docs/architecture.md). */
export const snapshotsFolder = (dataDir: string): string => join(dataDir, 'snapshots');
export const currentLink = (dataDir: string): string => join(dataDir, 'current');
/**
 * The link to the snapshot in service, where `current` is a link to this one: an import whose user may write only in the folder of
 * snapshots replaces it (docs/decisions/0073).
 */
export const innerLink = (dataDir: string): string => join(snapshotsFolder(dataDir), 'current');
/** Folder of all downloads, with one folder per data set. */
export const sourcesFolder = (dataDir: string): string => join(dataDir, 'sources');
export const importLockFile = (dataDir: string): string => join(dataDir, 'import.lock');
/** Names the snapshots that unfinished batches need. */
export const neededFile = (dataDir: string): string => join(dataDir, 'needed-snapshots');
/** Names the snapshots that were deleted. It is beside them, because whoever deletes them may write nowhere else. */
export const prunedFile = (dataDir: string): string => join(snapshotsFolder(dataDir), 'pruned');

/**
 * Prefix of a snapshot under construction. A folder that remains after its import comes from a killed one and may be
 * deleted.
 */
export const buildingPrefix = 'building-';
