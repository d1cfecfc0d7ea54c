import { statSync } from 'node:fs';
import { readConfig } from '../config.ts';
import type { Config } from '../core/settings/config.ts';

/**
 * Returns the settings of a command that makes no data folder: with a mistyped DATA_DIR it would find nothing, and seem to have done its work.
 * @throws Error that names the folder when it is not there.
 */
export function readConfigOfData(): Config {
  const config = readConfig();
  if (statSync(config.dataDir, { throwIfNoEntry: false })?.isDirectory() === true) return config;
  throw new Error(
    `there is no data folder ${config.dataDir}: correct DATA_DIR, or import data there first with "land-lookup load-layers"`,
  );
}
