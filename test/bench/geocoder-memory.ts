/** Prints the megabytes that one geocoding thread takes, all included. Arguments: GPKG, and a JSON file with a list of addresses. */
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Piscina } from 'piscina';
import { loadLock } from '../../src/pool/load-lock.ts';
import { threadLimits } from '../../src/shared/thread-limits.ts';

const THREADS = 3;

const [gpkg = '', addressFile = ''] = process.argv.slice(2);
const addresses = JSON.parse(readFileSync(addressFile, 'utf8')) as string[];
const before = anonymousMb();
const pool = new Piscina<string[], number>({
  filename: new URL(`../support/geocoder-thread${extname(import.meta.url)}`, import.meta.url).href,
  minThreads: THREADS,
  maxThreads: THREADS,
  // One task a thread at a time, so that each has its share.
  concurrentTasksPerWorker: 1,
  resourceLimits: threadLimits,
  workerData: { loadLock, gpkg },
});
await Promise.all(Array.from({ length: THREADS * 4 }, () => pool.run(addresses)));
console.log(((anonymousMb() - before) / THREADS).toFixed(1));
await pool.destroy();

/** Memory of this process that is its own; pages of mapped files and libraries belong to all threads and processes. */
function anonymousMb(): number {
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;
}
