import type { Logger } from 'winston';
import { oncePerMinute } from '../../background/once-per-minute.ts';
import { connectRedis, whenReady } from '../../stores/redis.ts';
import type { BucketConfig } from '../../settings/setting-groups.ts';
import type { RoomLimits } from '../room.ts';
import { onRedis } from '../store-fault.ts';
import { StoredBatches } from '../stored-batches.ts';
import type { BucketParts } from './bucket-parts.ts';
import { BucketBlobs } from './bucket-blobs.ts';
import { BucketChanges } from './bucket-changes.ts';
import { ChunkQueue } from './chunk-queue.ts';
import { Ending } from './ending.ts';
import { LeasedChunks } from './leased-chunks.ts';
import { Objects } from './objects.ts';
import { Records } from './records.ts';
import { Sweeping } from './sweeping.ts';

/** Its times are those of production unless given. */
export interface OpenBucketStoreOptions
  extends RoomLimits, Partial<Pick<BucketParts, 'lockMs' | 'takeOverMs' | 'snapshotGoneMs' | 'mostAheadMs'>> {
  readonly redisUrl: string;
  readonly bucket: BucketConfig;
  /** Name of this machine's usage journal. It is the same after a restart, and no other machine has it. */
  readonly machine: string;
  readonly retentionMs: number;
  readonly logger: Pick<Logger, 'warn'>;
  /** Gets the failure of a first object that is written and deleted; without it, none is. */
  readonly onUnusable?: (cause: unknown) => void;
  /** Longest wait for the object store, and how often it is asked. */
  readonly objectIdleMs?: number;
  readonly objectAttempts?: number;
}

const LOCK_MS = 30_000;
const TAKE_OVER_MS = 10 * 60_000;
const SNAPSHOT_GONE_MS = 60 * 60_000;
const MOST_AHEAD_MS = 10 * 60_000;

/** Redis gets a batch of a million rows in one step, which takes it some 100 ms. */
const COMMAND_TIMEOUT_MS = 10_000;
const REDIS_START_MS = 2000;

/** Opens the store of many machines. Import this file only where it is used: its libraries take a while to load. */
export async function openBucketStore(options: OpenBucketStoreOptions): Promise<StoredBatches> {
  const { redisUrl, bucket, machine, retentionMs } = options;
  const { lockMs = LOCK_MS, takeOverMs = TAKE_OVER_MS, snapshotGoneMs = SNAPSHOT_GONE_MS } = options;
  const { mostAheadMs = MOST_AHEAD_MS, objectIdleMs, objectAttempts } = options;
  const onError = oncePerMinute((cause: Error) => {
    options.logger.warn('batches: Redis or the object store', { detail: cause.message });
  });
  const redis = connectRedis(redisUrl, onError, COMMAND_TIMEOUT_MS);
  await whenReady(redis, REDIS_START_MS);
  const objects = new Objects({
    bucket,
    ...(objectIdleMs === undefined ? {} : { idleMs: objectIdleMs }),
    ...(objectAttempts === undefined ? {} : { attempts: objectAttempts }),
  });
  const { onUnusable } = options;
  // Not awaited: lookups do not need it, and it may take long to fail.
  if (onUnusable) objects.try(`check-${machine}`).catch(onUnusable);
  const records = new Records({ redis, machine, takeOverMs });
  const queue = new ChunkQueue({ redis, lockMs, onError });
  const parts = { objects, records, queue, retentionMs, lockMs, takeOverMs, snapshotGoneMs, mostAheadMs, onError };
  const ending = new Ending(parts);
  const sweeping = new Sweeping(parts, ending);
  return new StoredBatches({
    isWithKeys: true,
    limits: options,
    reads: records,
    changes: new BucketChanges({ ...parts, ending, sweeping }),
    chunks: new LeasedChunks(parts, ending, sweeping),
    blobs: new BucketBlobs(objects),
    ask: onRedis,
    onError,
    close: async () => {
      await queue[Symbol.asyncDispose]();
      redis.disconnect();
      objects[Symbol.dispose]();
    },
  });
}
