import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { type WorkerData, threadLimits } from '../../../src/messages/worker-data.ts';
import { threadFile } from '../thread-file.ts';
import type { PreparedBatch, Preparation } from './batch.ts';
import { type PrepareInput, prepareInput } from './prepare-batch.ts';

export interface PrepareTask {
  readonly preparation: Preparation;
  readonly input: PrepareInput;
}

/** Prepares features and returns them in their order. */
export interface Preparers extends AsyncDisposable {
  prepare(preparation: Preparation, inputs: Iterable<PrepareInput>, features: number): AsyncIterable<PreparedBatch>;
}

/** Number of features below which starting the threads costs more time than it saves. */
const WORTH_THREADS = 10_000;

/** Inputs under way per thread: one in work and one waiting. */
const INPUTS_PER_THREAD = 2;

/**
 * A turn of the event loop, in which a thread frees GDAL's buffers (docs/decisions/0002). Without turns between
 * batches, none is freed before the end, and memory grows with the file.
 */
const eventLoopTurn = setImmediate;

/**
 * Opens preparers on as many threads as the machine has cores. The threads start with the first file that is large
 * enough.
 */
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
    // After a failure nobody awaits the other tasks, which may fail too.
    for (const task of underWay) task.catch(() => undefined);
  }
}

function startPool(threads: number): Piscina<PrepareTask, PreparedBatch> {
  const { loadLock } = (workerData ?? { loadLock: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT) }) as WorkerData;
  const pool = new Piscina<PrepareTask, PreparedBatch>({
    filename: threadFile('prepare-features'),
    minThreads: threads,
    maxThreads: threads,
    // The thread waits for tasks in its event loop, which therefore turns.
    atomics: 'disabled',
    resourceLimits: threadLimits,
    workerData: { loadLock },
  });
  // The lost task is rejected too; without a listener the process would end.
  pool.on('error', () => undefined);
  return pool;
}
