import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { BatchStore } from './batch-store.ts';
import { MachineBatchStore } from './machine/machine-batch-store.ts';

/** Folder of the batches of this machine. */
export const batchesFolder = (dataDir: string): string => join(dataDir, 'batches');

/** Opens the store of batches of this machine. @throws Error when a later version wrote its queue. */
export function openBatchStore({
  dataDir,
  minFreeDiskBytes,
  batches,
}: Pick<Config, 'dataDir' | 'minFreeDiskBytes' | 'batches'>): BatchStore {
  return new MachineBatchStore({ dir: batchesFolder(dataDir), minFreeDiskBytes, ...batches });
}
