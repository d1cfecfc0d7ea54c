import { join } from 'node:path';
import type { Logger } from 'winston';
import type { Config } from '../settings/config.ts';
import type { BatchStore } from './batch-store.ts';
import { messageOf } from '../shared/words.ts';
import { openMachineStore } from './machine/open-machine-store.ts';

/** Folder of the batches of this machine. */
const batchesFolder = (dataDir: string): string => join(dataDir, 'batches');

export interface OpenBatchStoreOptions {
  /** Name of this machine's usage journal. */
  readonly machine: string;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/** Advice for the operator (docs/batches.md, Many machines). */
const HELP =
  'check BATCH_STORE, S3_ENDPOINT, AWS_REGION and the access keys, which need rights to write, read, delete and list';

/**
 * Opens the store of batches: on this machine, or with `BATCH_STORE` the one of many machines. Loads the libraries of the other only for it.
 * @throws Error when a later version wrote the queue.
 */
export async function openBatchStore(
  { dataDir, minFreeDiskBytes, batches, bucket, redisUrl }: BatchSettings,
  options: OpenBatchStoreOptions,
): Promise<BatchStore> {
  if (bucket !== null && redisUrl !== null) {
    const { openBucketStore } = await import('./bucket/open-bucket-store.ts');
    const onUnusable = (cause: unknown): void => {
      const detail = messageOf(cause);
      options.logger.error('batches cannot be stored', { detail, help: HELP });
    };
    return await openBucketStore({ ...batches, ...options, bucket, redisUrl, onUnusable });
  }
  return openMachineStore({ dir: batchesFolder(dataDir), minFreeDiskBytes, ...batches });
}

type BatchSettings = Pick<Config, 'dataDir' | 'minFreeDiskBytes' | 'batches' | 'bucket' | 'redisUrl'>;
