/**
 * Starts threads of `sqlite-thread.ts` one group after another and ends each in the next of four ways. Ends with 0 when all have ended; a
 * crash shows as a signal. Argument: how many threads.
 */
import { once } from 'node:events';
import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { SqliteEnding } from './sqlite-thread.ts';

const threads = Number(process.argv[2] ?? 200);
const AT_ONCE = 8;
const endings: readonly SqliteEnding[] = ['return', 'exit', 'query', 'collect'];

setFlagsFromString('--expose-gc');

async function runThread(then: SqliteEnding): Promise<void> {
  const worker = new Worker(new URL(`./sqlite-thread${extname(import.meta.url)}`, import.meta.url), {
    workerData: { then },
  });
  const ended = once(worker, 'exit');
  await once(worker, 'message');
  if (then === 'query') {
    // Into the query.
    await sleep(20);
    await worker.terminate();
  }
  await ended;
}

for (let started = 0; started < threads; started += AT_ONCE) {
  const group = Array.from({ length: Math.min(AT_ONCE, threads - started) }, (_, i) => runThread(endings[i % 4]!));
  await Promise.all(group);
}
console.log(threads);
