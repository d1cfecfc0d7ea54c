/** Prints the megabytes of a process that answers lookups: argument 1 the threads, 2 the snapshot's folder, 3 a JSON file with a list of addresses. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../../src/project/project.ts';
import { LookupPool } from '../../../src/core/pool/lookup-pool.ts';

/** Enough at a time to keep every thread busy. */
const AT_A_TIME = 16;

const [threads, snapshotDir = '', addressFile = ''] = process.argv.slice(2);
const addresses = JSON.parse(readFileSync(addressFile, 'utf8')) as string[];
const catalogue = readCatalogue(join(projectDir, 'layers'));
await using pool = await LookupPool.start({
  ...{ threads: Number(threads), deadlineMs: 60_000, snapshotDir, catalogue },
});
const queue = addresses.values();
await Promise.all(Array.from({ length: AT_A_TIME }, () => askAll(queue)));
console.log(anonymousMb().toFixed(1));

async function askAll(rest: Iterable<string>): Promise<void> {
  // An address that is refused is a lookup as well.
  for (const address of rest) await pool.lookup({ kind: 'address', address, full: false }).catch(() => undefined);
}

/** Memory of this process that is its own; pages of mapped files belong to all threads and processes. */
function anonymousMb(): number {
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;
}
