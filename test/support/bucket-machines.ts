import type { BatchStore } from '../../src/batches/batch-store.ts';
import { openBucketStore, type OpenBucketStoreOptions } from '../../src/batches/bucket/open-bucket-store.ts';
import { ChunkQueue } from '../../src/batches/bucket/chunk-queue.ts';
import { Ending } from '../../src/batches/bucket/ending.ts';
import { Objects } from '../../src/batches/bucket/objects.ts';
import { Records } from '../../src/batches/bucket/records.ts';
import { connectRedis, whenReady } from '../../src/stores/redis.ts';
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

  /** The last steps of batches as a machine does them. @param interrupt is called before it reads a record or chunks, with the name of the method */
  async endings(
    machine: string,
    interrupt: (called: string) => Promise<void> = () => Promise.resolve(),
  ): Promise<AsyncDisposable & { readonly ending: Ending }> {
    const { lockMs, takeOverMs, snapshotGoneMs } = shortTimes;
    const redis = connectRedis(this.redis.url, () => undefined);
    await whenReady(redis, 2000);
    const records = interrupted(new Records({ redis, machine, takeOverMs }), interrupt);
    const queue = new ChunkQueue({ redis, lockMs, onError: () => undefined });
    const objects = new Objects({ bucket: this.objects.bucket });
    const times = { retentionMs: 86_400_000, lockMs, takeOverMs, snapshotGoneMs };
    const onError = (cause: Error): never => {
      throw cause;
    };
    return {
      ending: new Ending({ ...times, records, queue, objects, onError }),
      [Symbol.asyncDispose]: async () => {
        await queue[Symbol.asyncDispose]();
        redis.disconnect();
        objects[Symbol.dispose]();
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#stores.map((store) => store[Symbol.asyncDispose]()));
    await this.objects[Symbol.asyncDispose]();
    await this.redis[Symbol.asyncDispose]();
  }
}

/** The same object, whose methods wait for `interrupt` first. */
function interrupted<T extends object>(whole: T, interrupt: (called: string) => Promise<void>): T {
  return new Proxy(whole, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member === 'function') {
        return async (...given: unknown[]) => {
          await interrupt(String(name));
          return (await Reflect.apply(member, target, given)) as unknown;
        };
      }
      return typeof member === 'object' && member !== null ? interrupted(member, interrupt) : member;
    },
  });
}
