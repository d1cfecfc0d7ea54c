import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { snapshotsFolder } from './folders.ts';
import { makeFolder } from '../files/make-folder.ts';

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
