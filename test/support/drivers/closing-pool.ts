/**
 * Closes a pool of two threads with many lookups waiting, while the threads that answer first crash (`crash-thread.mjs`). Prints
 * how many lookups were answered, how many were lost, and whether a thread crashed. Arguments: SNAPSHOT_DIR CRASHES.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { projectDir } from '../../../src/project/project.ts';
import { LookupPool } from '../../../src/core/pool/lookup-pool.ts';

/** More than two threads take at once; each that is given up costs two threads. */
const LOOKUPS = 8;

const pool = await LookupPool.start({
  ...{ threads: 2, deadlineMs: 60_000, snapshotDir: process.argv[2]! },
  catalogue: readCatalogue(join(projectDir, 'layers')),
});
const crashFile = process.env['CRASH_FILE']!;
const crashes = Array(Number(process.argv[3])).fill('exit').join(' ');
writeFileSync(crashFile, crashes);
const lookups = Promise.allSettled(
  Array.from({ length: LOOKUPS }, () => pool.lookup({ kind: 'point', lat: 44, lon: -79.5, full: false })),
);
await pool[Symbol.asyncDispose]();
const answered = (await lookups).filter(({ status }) => status === 'fulfilled').length;
const hasCrashed = !existsSync(crashFile) || readFileSync(crashFile, 'utf8') !== crashes;
process.stdout.write(JSON.stringify({ answered, lost: LOOKUPS - answered, hasCrashed }));
