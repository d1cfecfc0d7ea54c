import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { workerData } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { WorkerData } from '../../src/pool/load-lock.ts';
import type { PreparedBatch, Preparation, RawBatch } from './batch.ts';
import { prepareBatch } from './prepare-batch.ts';

export interface PrepareTask {
  readonly preparation: Preparation;
  readonly batch: RawBatch;
}

/** Prepares batches and gives them back in their order. */
export interface Preparers extends AsyncDisposable {
  prepare(preparation: Preparation, batches: Iterable<RawBatch>, features: number): AsyncIterable<PreparedBatch>;
}

/** Below this many features the start of the threads costs more than they gain. */
const WORTH_THREADS = 10_000;

/** Batches under way a thread: one that is worked on, one that waits. */
const BATCHES_PER_THREAD = 2;

/** Preparers on as many threads as the machine has cores, started when a file is worth it. */
export function openPreparers(): Preparers {
  const threads = availableParallelism();
  let pool: Piscina<PrepareTask, PreparedBatch> | undefined;
  return {
    prepare: (preparation, batches, features) => {
      if (features < WORTH_THREADS) return prepareHere(preparation, batches);
      const started = (pool ??= startPool(threads));
      return prepareOn((batch) => started.run({ preparation, batch }), batches, threads * BATCHES_PER_THREAD);
    },
    [Symbol.asyncDispose]: async () => pool?.destroy(),
  };
}

async function* prepareHere(preparation: Preparation, batches: Iterable<RawBatch>): AsyncGenerator<PreparedBatch> {
  for (const batch of batches) yield await Promise.resolve(prepareBatch(preparation, batch));
}

async function* prepareOn(
  run: (batch: RawBatch) => Promise<PreparedBatch>,
  batches: Iterable<RawBatch>,
  mostUnderWay: number,
): AsyncGenerator<PreparedBatch> {
  const underWay: Promise<PreparedBatch>[] = [];
  try {
    for (const batch of batches) {
      underWay.push(run(batch));
      if (underWay.length >= mostUnderWay) yield await underWay.shift()!;
    }
    while (underWay.length > 0) yield await underWay.shift()!;
  } finally {
    // After a failure nobody waits for the others, which may fail too.
    for (const task of underWay) task.catch(() => undefined);
  }
}

function startPool(threads: number): Piscina<PrepareTask, PreparedBatch> {
  const { loadLock } = (workerData ?? { loadLock: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT) }) as WorkerData;
  const pool = new Piscina<PrepareTask, PreparedBatch>({
    filename: new URL(`../prepare-features${extname(import.meta.url)}`, import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
    workerData: { loadLock },
  });
  // The task that was lost is rejected as well; without a listener the process would end.
  pool.on('error', () => undefined);
  return pool;
}
