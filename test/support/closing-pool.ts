/**
 * Closes a pool of two threads with many lookups waiting, while the threads that answer first crash (`crash-thread.mjs`). Prints
 * how many lookups were answered and how many were lost. Arguments: SNAPSHOT_DIR CRASHES.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCatalogue } from '../../src/catalogue/read-definitions.ts';
import { projectDir } from '../../src/config.ts';
import { LookupPool } from '../../src/pool/lookup-pool.ts';

const LOOKUPS = 60;

const pool = await LookupPool.start({
  ...{ threads: 2, maxPending: LOOKUPS, deadlineMs: 60_000, snapshotDir: process.argv[2]! },
  catalogue: readCatalogue(join(projectDir, 'layers')),
});
writeFileSync(process.env['CRASH_FILE']!, Array(Number(process.argv[3])).fill('exit').join(' '));
const lookups = Promise.allSettled(
  Array.from({ length: LOOKUPS }, () => pool.lookup({ kind: 'point', lat: 44, lon: -79.5, full: false })),
);
await pool[Symbol.asyncDispose]();
const answered = (await lookups).filter(({ status }) => status === 'fulfilled').length;
process.stdout.write(JSON.stringify({ answered, lost: LOOKUPS - answered }));
