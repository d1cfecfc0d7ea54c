import type { BatchStore } from '../../src/batches/batch-store.ts';
import { openBucketStore, type OpenBucketStoreOptions } from '../../src/batches/bucket/open-bucket-store.ts';
import { ObjectStore } from './object-store.ts';
import { RedisServer } from './redis.ts';

const GB = 1024 ** 3;

export const shortTimes = {
  ...{ lockMs: 600, takeOverMs: 2500, snapshotGoneMs: 2500, objectIdleMs: 1500, objectAttempts: 3 },
} as const;

/** One Redis and one object store, and stores of as many machines as are asked for. */
export class BucketMachines implements AsyncDisposable {
  readonly redis: RedisServer;
  readonly objects: ObjectStore;
  readonly #stores: BatchStore[] = [];

  private constructor(redis: RedisServer, objects: ObjectStore) {
    this.redis = redis;
    this.objects = objects;
  }

  static async start(): Promise<BucketMachines> {
    return new BucketMachines(
      await RedisServer.start('--appendonly', 'yes', '--appendfsync', 'always'),
      await ObjectStore.start(),
    );
  }

  async open(machine: string, change: Partial<OpenBucketStoreOptions> = {}): Promise<BatchStore> {
    const store = await openBucketStore({
      ...{ redisUrl: this.redis.url, bucket: this.objects.bucket, machine, retentionMs: 86_400_000 },
      ...{ diskBytes: 100 * GB, diskBytesPerKey: 100 * GB, logger: { warn: () => undefined as never }, ...shortTimes },
      ...change,
    });
    this.#stores.push(store);
    return store;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#stores.map((store) => store[Symbol.asyncDispose]()));
    await this.objects[Symbol.asyncDispose]();
    await this.redis[Symbol.asyncDispose]();
  }
}
