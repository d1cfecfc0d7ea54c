/**
 * A process that ends the first chunk of a batch, and is killed or loses its journal right after a step. Arguments: the data folder and the step. Nobody has to
 * wait for its lease.
 */
import { join } from 'node:path';
import { NO_LIMITS } from '../../../src/core/keys/key-store.ts';
import { Budget } from '../../../src/core/limits/budget.ts';
import { ChunkAnswers } from '../../../src/features/batches/results.ts';
import { BatchFiles } from '../../../src/features/batches/store/batch-files.ts';
import { BatchTable } from '../../../src/features/batches/store/batch-table.ts';
import { LeasedChunks } from '../../../src/features/batches/store/leased-chunks.ts';
import { RowBilling } from '../../../src/features/batches/row-billing.ts';
import { fail } from '../../../src/messages/outcome.ts';
import { unavailable } from '../../../src/messages/problems.ts';
import { openJournalHere } from '../../support/drivers/journal-here.ts';
import type { EndingStep } from './ending-steps.ts';
import { anySnapshot, openStore } from './machine-store.ts';

const [dataDir, step] = process.argv.slice(2) as [string, EndingStep];

function dieAt(here: EndingStep): void {
  if (here === step) process.kill(process.pid, 'SIGKILL');
}

/** Calls `after` with what a method of a part of the store returns, or comes to. */
function follow<Name extends string>(
  part: { readonly prototype: Record<Name, unknown> },
  name: Name,
  after: (result: unknown) => void,
): void {
  const original = part.prototype[name] as (...input: unknown[]) => unknown;
  part.prototype[name] = function (this: unknown, ...input: unknown[]): unknown {
    const result = original.apply(this, input);
    if (result instanceof Promise) void result.then(after);
    else after(result);
    return result;
  };
}

follow(BatchFiles, 'writeAnswers', (written) => {
  dieAt('stored');
  const answers = written as { keep: () => void };
  const { keep } = answers;
  answers.keep = () => {
    keep();
    dieAt('put in place');
  };
});
follow(LeasedChunks, 'claim', () => {
  dieAt('claimed');
});
follow(BatchTable, 'addAnswers', () => {
  dieAt('shown, and not committed');
});
follow(LeasedChunks, 'show', () => {
  dieAt('shown');
});

await using store = openStore(join(dataDir, 'batches'), { leaseMs: 1 });
await using journal = await openJournalHere(dataDir);
const record = journal.do.bind(journal);
let recorded = 0;
journal.do = async (name, input) => {
  const isLost = step === 'the journal fails' || (step === 'the journal fails in between' && recorded > 0);
  if (name === 'recordRows' && isLost) throw unavailable('STORAGE_FULL', 'the disk is full');
  const result = await record(name, input);
  if (name !== 'recordRows') return result;
  recorded++;
  dieAt('billed in part');
  return result;
};
const billing = new RowBilling({ journal, budget: new Budget({ journalId: journal.id, redis: null }) });

const chunk = (await store.take(anySnapshot))!;
const { job } = chunk;
const answers = new ChunkAnswers(job.id);
for (const [i, { customId }] of (await store.rowsOf(chunk)).entries()) {
  const answer = i % 3 === 0 ? fail('ADDRESS_NOT_FOUND', 'no') : { ok: true as const, value: Buffer.from('{}') };
  answers.add({ row: i + 1, customId, answer, fault: null });
}
const { ids, ...result } = answers.resultWithout(new Set(), () => '');
const finishing = store.finish(chunk, result, async () => {
  await billing.bill({ job, key: { id: job.keyId, limits: NO_LIMITS } }, ids);
  dieAt('billed');
});
if (!step.startsWith('the journal fails')) await finishing;
else if ((await finishing.catch(() => 'failed')) === 'failed') await store.giveBack(chunk);
