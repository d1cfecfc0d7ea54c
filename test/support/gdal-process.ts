/**
 * A process with busy GDAL threads that ends in the way its argument says: `close`, `destroy` or `exit`. Ends with 0 when every
 * thread answered; a crash shows as a signal. Arguments: FILE THREADS TASKS_PER_THREAD ENDING.
 */
import { extname } from 'node:path';
import { Piscina } from 'piscina';
import { loadLock } from '../../src/pool/load-lock.ts';
import type { ReadTask } from './gdal-thread.ts';

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
if (ending === 'close') await pool.close();
if (ending === 'destroy') await pool.destroy();
if (ending === 'exit') process.exit(0);
