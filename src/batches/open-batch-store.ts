import { join } from 'node:path';
import type { Logger } from 'winston';
import type { Config } from '../config.ts';
import type { BatchStore } from './batch-store.ts';

/** Folder of the batches of this machine. */
export const batchesFolder = (dataDir: string): string => join(dataDir, 'batches');

export interface OpenBatchStoreOptions {
  /** Name of this machine's usage journal. */
  readonly machine: string;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Opens the store of batches: on this machine, or with `BATCH_STORE` the one of many machines. Loads only what that one needs.
 * @throws Error when a later version wrote the queue.
 */
export async function openBatchStore(
  { dataDir, minFreeDiskBytes, batches, bucket, redisUrl }: BatchSettings,
  options: OpenBatchStoreOptions,
): Promise<BatchStore> {
  if (bucket !== null && redisUrl !== null) {
    const { openBucketStore } = await import('./bucket/open-bucket-store.ts');
    return await openBucketStore({ ...batches, ...options, bucket, redisUrl });
  }
  const { MachineBatchStore } = await import('./machine/machine-batch-store.ts');
  return new MachineBatchStore({ dir: batchesFolder(dataDir), minFreeDiskBytes, ...batches });
}

type BatchSettings = Pick<Config, 'dataDir' | 'minFreeDiskBytes' | 'batches' | 'bucket' | 'redisUrl'>;
