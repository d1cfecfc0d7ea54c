import { join } from 'node:path';

/** Names of what lies in the data folder (architecture, section 4). */
export const snapshotsFolder = (dataDir: string): string => join(dataDir, 'snapshots');
export const currentLink = (dataDir: string): string => join(dataDir, 'current');
/** Everything that is downloaded, a folder a data set. */
export const sourcesFolder = (dataDir: string): string => join(dataDir, 'sources');
export const importLockFile = (dataDir: string): string => join(dataDir, 'import.lock');

/** A snapshot that is being built; one that outlives its import is rubbish of a killed one. */
export const buildingPrefix = 'building-';
