import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { WorkerData } from '../../../src/shared/contract/worker-data.ts';
import { threadLimits } from '../../../src/shared/thread-limits.ts';
import type { PreparedBatch, Preparation } from './batch.ts';
import { prepareInput, type PrepareInput } from './prepare-batch.ts';

export interface PrepareTask {
  readonly preparation: Preparation;
  readonly input: PrepareInput;
}

/** Prepares features and gives them back in their order. */
export interface Preparers extends AsyncDisposable {
  prepare(preparation: Preparation, inputs: Iterable<PrepareInput>, features: number): AsyncIterable<PreparedBatch>;
}

/** Below this many features the start of the threads costs more than they gain. */
const WORTH_THREADS = 10_000;

/** Inputs under way a thread: one that is worked on, one that waits. */
const INPUTS_PER_THREAD = 2;

/**
 * GDAL's buffers go back to the heap in the event loop of their thread (docs/decisions/0002). Without turns of it between batches, none
 * does before the end, and memory grows with the file.
 */
const eventLoopTurn = setImmediate;

/** Preparers on as many threads as the machine has cores, started when a file is worth it. */
export function openPreparers(): Preparers {
  const threads = availableParallelism();
  let pool: Piscina<PrepareTask, PreparedBatch> | undefined;
  return {
    prepare: (preparation, inputs, features) => {
      if (features < WORTH_THREADS) return prepareHere(preparation, inputs);
      const started = (pool ??= startPool(threads));
      return prepareOn((input) => started.run({ preparation, input }), inputs, threads * INPUTS_PER_THREAD);
    },
    [Symbol.asyncDispose]: async () => pool?.destroy(),
  };
}

async function* prepareHere(preparation: Preparation, inputs: Iterable<PrepareInput>): AsyncGenerator<PreparedBatch> {
  for (const input of inputs) {
    yield prepareInput(preparation, input);
    await eventLoopTurn();
  }
}

async function* prepareOn(
  run: (input: PrepareInput) => Promise<PreparedBatch>,
  inputs: Iterable<PrepareInput>,
  mostUnderWay: number,
): AsyncGenerator<PreparedBatch> {
  const underWay: Promise<PreparedBatch>[] = [];
  try {
    for (const input of inputs) {
      underWay.push(run(input));
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
    filename: new URL(`../../threads/prepare-features${extname(import.meta.url)}`, import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
    // Waiting for tasks in the event loop gives it its turns.
    atomics: 'disabled',
    resourceLimits: threadLimits,
    workerData: { loadLock },
  });
  // The task that was lost is rejected as well; without a listener the process would end.
  pool.on('error', () => undefined);
  return pool;
}
