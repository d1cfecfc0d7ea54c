import type { BatchStore } from '../../../src/batches/batch-store.ts';
import { openBucketStore, type OpenBucketStoreOptions } from '../../../src/batches/bucket/open-bucket-store.ts';
import { BucketChanges } from '../../../src/batches/bucket/bucket-changes.ts';
import { ChunkQueue } from '../../../src/batches/bucket/chunk-queue.ts';
import { Ending } from '../../../src/batches/bucket/ending.ts';
import { Objects } from '../../../src/batches/bucket/objects.ts';
import { Records } from '../../../src/batches/bucket/records.ts';
import { Sweeping } from '../../../src/batches/bucket/sweeping.ts';
import type { BatchChunk } from '../../../src/batches/job.ts';
import { connectRedis, whenReady } from '../../../src/stores/redis.ts';
import { answersTo, rowsOf } from '../material/batch-material.ts';
import { eventually } from '../oracles/batch-store-contract.ts';
import { ObjectStore } from '../doubles/object-store.ts';
import { PATIENT_REDIS } from './patience.ts';
import { RedisServer } from './redis.ts';

const GB = 1024 ** 3;

export const shortTimes = {
  ...{ lockMs: 600, takeOverMs: 2500, snapshotGoneMs: 2500, objectIdleMs: 1500, objectAttempts: 3 },
  // Tests say themselves how late it is.
  mostAheadMs: Infinity,
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

  /** Ends the other machines, which do not look at what there is to do any more. */
  async endAllBut(store: BatchStore): Promise<void> {
    const others = this.#stores.filter((other) => other !== store);
    this.#stores.splice(0, Infinity, store);
    await Promise.all(others.map((other) => other[Symbol.asyncDispose]()));
  }

  /** What a machine does to batches as a whole. @param interrupt is called before it reads or changes a record or chunks, with the name of the method */
  async changes(
    machine: string,
    interrupt: (called: string) => Promise<void> = () => Promise.resolve(),
  ): Promise<AsyncDisposable & { readonly ending: Ending; readonly changes: BucketChanges }> {
    const { lockMs, takeOverMs } = shortTimes;
    const redis = connectRedis(this.redis.url, () => undefined, PATIENT_REDIS.redisTimeoutMs);
    await whenReady(redis, PATIENT_REDIS.redisTimeoutMs);
    const records = interrupted(new Records({ redis, machine, takeOverMs }), interrupt);
    const queue = new ChunkQueue({ redis, lockMs, onError: () => undefined });
    const objects = new Objects({ bucket: this.objects.bucket });
    const onError = (cause: Error): never => {
      throw cause;
    };
    const parts = { ...shortTimes, retentionMs: 86_400_000, records, queue, objects, onError };
    const ending = new Ending(parts);
    const sweeping = new Sweeping(parts, ending);
    return {
      ending,
      changes: new BucketChanges({ ...parts, ending, sweeping }),
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

/** Takes a chunk and finishes it, or gives it back. */
export async function work(store: BatchStore, bill: () => Promise<void> = () => Promise.resolve()): Promise<void> {
  const chunk = await eventually(() => store.take(() => true));
  try {
    await store.finish(chunk, answersTo(chunk, await store.rowsOf(chunk)), bill);
  } catch (cause) {
    await store.giveBack(chunk).catch(() => undefined);
    throw cause;
  }
}

/** Gets the right to bill a chunk, and does nothing more. */
export async function claimAndDie(store: BatchStore): Promise<BatchChunk> {
  const chunk = (await store.take(() => true))!;
  await new Promise<void>((resolve, reject) => {
    const bill = (): Promise<never> => {
      resolve();
      return new Promise(() => undefined);
    };
    store.finish(chunk, answersTo(chunk, rowsOf(chunk.job.rows, chunk.index)), bill).catch(reject);
  });
  return chunk;
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
