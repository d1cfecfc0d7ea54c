import type { DefinitionFolders } from '../catalogue/read/read-definitions.ts';
import type { Config } from '../core/settings/config.ts';
import { join } from 'node:path';
import { sourcesFolder } from '../core/snapshots/folders.ts';
import { takeLock } from '../core/files/lock.ts';
import { makeFolder } from '../core/files/make-folder.ts';

/** Settings of an import. Without `minFreeDiskBytes` it may fill the disk. */
export type ImportConfig = Pick<Config, 'dataDir'> & DefinitionFolders & Partial<Pick<Config, 'minFreeDiskBytes'>>;

/** Takes the lock of the downloaded sources, until what was fetched is imported. @throws Error when another download is running. */
export function lockSources(dataDir: string): Disposable {
  const folder = sourcesFolder(dataDir);
  makeFolder(folder);
  return takeLock(join(folder, '.lock'), 'another download is running');
}
