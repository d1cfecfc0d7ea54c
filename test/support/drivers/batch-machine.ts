/** A machine that works on batches with a made-up answer to each row: `node batch-machine.ts '<JSON of BatchMachineOptions>'`. */

import { setTimeout as sleep } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import type { BatchStore } from '../../../src/batches/batch-store.ts';
import { openBucketStore } from '../../../src/batches/bucket/open-bucket-store.ts';
import type { BatchChunk } from '../../../src/batches/job.ts';
import { openJournal, type BatchMachineOptions } from './batch-machine-journal.ts';
import { answersTo } from '../material/batch-material.ts';

async function main(options: BatchMachineOptions): Promise<void> {
  const journal = openJournal(options.dataDir);
  const store = await openBucketStore({
    ...options,
    ...{ retentionMs: 86_400_000, diskBytes: 1e12, diskBytesPerKey: 1e12, objectIdleMs: 1000, objectAttempts: 3 },
    logger: { warn: () => undefined as never },
  });
  process.stdout.write('ready\n');
  for (;;) {
    const chunk = await store.take(() => true).catch(() => null);
    if (chunk) await workOn(chunk, { store, journal, ...options });
    else await sleep(50);
  }
}

interface Working extends BatchMachineOptions {
  readonly store: BatchStore;
  readonly journal: Database.Database;
}

async function workOn(chunk: BatchChunk, { store, journal, workMs, lockMs }: Working): Promise<void> {
  const renewing = setInterval(() => {
    store.renew(chunk).catch(() => undefined);
  }, lockMs / 3);
  try {
    const result = answersTo(chunk, await store.rowsOf(chunk));
    await sleep(workMs);
    const isDone = await store.finish(chunk, result, () => {
      const insert = journal.prepare('INSERT OR IGNORE INTO billed VALUES (?)');
      journal.transaction(() => {
        for (const id of result.ids) insert.run(id);
      })();
      return Promise.resolve();
    });
    if (isDone) journal.prepare('INSERT INTO finished VALUES (?)').run(`${chunk.job.id}/${chunk.index}`);
  } catch {
    await store.giveBack(chunk).catch(() => undefined);
    await sleep(100);
  } finally {
    clearInterval(renewing);
  }
}

await main(JSON.parse(process.argv[2]!) as BatchMachineOptions);
