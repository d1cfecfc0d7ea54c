/**
 * A process with busy GDAL threads that ends in the way its argument says: `close`, `destroy` or `exit` when all tasks are done, `destroy-busy`
 * or `exit-busy` while each thread is in the middle of one. Ends with 0 when every thread answered; a crash shows as a signal.
 * Arguments: FILE THREADS TASKS_PER_THREAD ENDING.
 */
import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Piscina } from 'piscina';
import { loadLock } from '../../../src/core/pool/run-worker.ts';
import type { ReadTask } from './gdal-thread.ts';

/** A task takes some tens of milliseconds. */
const MIDDLE_OF_A_TASK_MS = 10;

const [file = '', threads = '3', tasksPerThread = '8', ending = 'close'] = process.argv.slice(2);

const pool = new Piscina<ReadTask, number>({
  filename: new URL(`./gdal-thread${extname(import.meta.url)}`, import.meta.url).href,
  minThreads: Number(threads),
  maxThreads: Number(threads),
  workerData: { loadLock },
});
const tasks = Array.from({ length: Number(threads) * Number(tasksPerThread) }, () => pool.run({ file }));
const answers = await Promise.all(tasks);
if (new Set(answers).size !== 1) throw new Error(`threads read different data: ${answers.join(' ')}`);
console.log(answers[0]);
if (ending.endsWith('-busy')) {
  // What is under way is lost on purpose.
  for (let i = 0; i < Number(threads); i++) pool.run({ file }).catch(() => undefined);
  await sleep(MIDDLE_OF_A_TASK_MS);
}
if (ending === 'close') await pool.close();
if (ending.startsWith('destroy')) await pool.destroy();
if (ending.startsWith('exit')) process.exit(0);
