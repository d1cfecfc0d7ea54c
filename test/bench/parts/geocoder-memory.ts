/**
 * Prints the megabytes that one geocoding thread takes, all included. Arguments: GPKG, a JSON file with a list of addresses, and "suggest"
 * for a thread that also suggests.
 */
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { Piscina } from 'piscina';
import { loadLock } from '../../../src/core/pool/run-worker.ts';
import { threadLimits } from '../../../src/messages/worker-data.ts';
import { readStreetNames } from '../../../workers/suggest/feature.ts';
import type { Asked } from '../../support/drivers/geocoder-thread.ts';
import { openImmutable } from '../../support/material/small-gazetteer.ts';

const THREADS = 3;

const [gpkg = '', addressFile = '', mode = 'geocode'] = process.argv.slice(2);
const addresses = JSON.parse(readFileSync(addressFile, 'utf8')) as string[];
const before = anonymousMb();
const suggests = mode === 'suggest';
// Its share of what all threads of a pool have together counts, too.
const names = suggests ? readStreetNames(openImmutable(gpkg)) : null;
const pool = new Piscina<Asked, number>({
  filename: new URL(`../../support/drivers/geocoder-thread${extname(import.meta.url)}`, import.meta.url).href,
  minThreads: THREADS,
  maxThreads: THREADS,
  // One task a thread at a time, so that each has its share.
  concurrentTasksPerWorker: 1,
  resourceLimits: threadLimits,
  workerData: { loadLock, gpkg, names },
});
await Promise.all(Array.from({ length: THREADS * 4 }, () => pool.run({ texts: addresses, suggests })));
console.log(((anonymousMb() - before) / THREADS).toFixed(1));
await pool.destroy();

/** Memory of this process that is its own; pages of mapped files and libraries belong to all threads and processes. */
function anonymousMb(): number {
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;
}
