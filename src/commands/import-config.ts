import type { Config } from '../config.ts';

/** Settings of an import. Without `minFreeDiskBytes` it may fill the disk. */
export type ImportConfig = Pick<Config, 'dataDir' | 'layersDir'> & Partial<Pick<Config, 'minFreeDiskBytes'>>;
