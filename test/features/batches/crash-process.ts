/**
 * A process that works with a store of batches, and ends without any notice at a step. Arguments: folder, the step, lease in ms, and by how many its clock is ahead. Billed lookups are
 * lines of `billed` in the folder.
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBatchId } from '../../../src/features/batches/job.ts';
import { addBatch, anySnapshot, answersOf, openStore, rowsOf } from './machine-store.ts';

const [dir, step, leaseMs, aheadMs] = process.argv.slice(2) as [string, string, string, string];
const store = openStore(dir, { leaseMs: Number(leaseMs), nowMs: () => Date.now() + Number(aheadMs) });

function dieAt(here: string): void {
  if (here === step) process.kill(process.pid, 'SIGKILL');
}

if (step === 'receiving') {
  const input = await store.receive(createBatchId(Date.now(), 'a0a0a0a0'));
  await input.add(rowsOf(1000));
  dieAt('receiving');
}
if (step === 'accepted') {
  writeFileSync(join(dir, 'accepted'), (await addBatch(store, 1500)).id);
  dieAt('accepted');
}
for (let chunk = await store.take(anySnapshot); chunk; chunk = await store.take(anySnapshot)) {
  const { index, job } = chunk;
  if (index === 1) dieAt('taken');
  await store.finish(chunk, answersOf(chunk), () => {
    if (index === 1) dieAt('before the bill');
    appendFileSync(join(dir, 'billed'), `${job.id}:${index}\n`);
    if (index === 1) dieAt('after the bill');
    return Promise.resolve();
  });
  if (index === 1) dieAt('done');
  process.send?.(index);
}
await store[Symbol.asyncDispose]();
process.disconnect();
