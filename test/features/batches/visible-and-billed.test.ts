/** What can be read stands in the journal, and the other way round: whatever happens while a chunk is ended, and to its batch afterwards. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { suspendCustomer } from '../../../src/core/keys/customers.ts';
import { revokeKey } from '../../../src/core/keys/keys.ts';
import type { BatchJob } from '../../../src/features/batches/job.ts';
import type { SnapshotService } from '../../../src/core/pool/snapshot-service.ts';
import { ROWS_PER_RECORD } from '../../../src/messages/journal.ts';
import { unavailable } from '../../../src/messages/problems.ts';
import { addressRow, BatchMachine } from '../../support/drivers/batches.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { programFile } from '../../support/drivers/program.ts';
import { sharedSample } from '../../support/drivers/snapshots.ts';
import { ownSampleFolder, SAMPLE_ADDRESS } from '../../support/material/served-sample.ts';
import { ENDING_STEPS, type EndingStep } from './ending-steps.ts';

const program = programFile('./ending-process', import.meta.url);

/** Two chunks, of which the process ends the first; every third row is not found. */
const ROWS = Array.from({ length: 1002 }, (_, i) =>
  addressRow(i % 3 === 0 ? '1 Nowhere St, Sampleton, ON' : SAMPLE_ADDRESS.address),
);
const FOUND = 668;
const FOUND_IN_FIRST = 666;
const [BUDGET, USED_ELSEWHERE] = [1000, 500];

/** What happens to the batch before another process goes on with it. */
const EVENTS: Readonly<Record<string, (machine: BatchMachine, job: BatchJob) => unknown>> = {
  nothing: () => undefined,
  'its key is revoked': (machine, { keyId }) => revokeKey(machine.keys, keyId),
  'its customer is suspended': (machine, { customer }) => suspendCustomer(machine.keys, customer!, 'it does not pay'),
  'its snapshot is lost': (machine, { id }) => {
    const db = new Database(join(machine.dataDir, 'batches', 'queue.sqlite'));
    db.prepare('UPDATE batch SET snapshot = ? WHERE id = ?').run('20250101T000000Z-aaaaaaaaaaaa', id);
    db.close();
  },
  'its budget is used up': async (machine, { keyId, customer }) => {
    for (let i = 0; i < USED_ELSEWHERE; i += ROWS_PER_RECORD) {
      const ids = Array.from({ length: ROWS_PER_RECORD }, (_, k) => `lkp_elsewhere_${i + k}`);
      await machine.journal.do('recordRows', { keyId, customer, ids, mostOfMonth: null });
    }
  },
};

describe('The answers of a batch that can be read, and those in the journal', function () {
  this.timeout(240_000);
  let snapshots: SnapshotService;
  before(async () => {
    snapshots = await sharedSample();
  });

  for (const step of ENDING_STEPS) {
    it(`are the same when a process ends with a chunk: ${step}`, async () => {
      using folder = ownSampleFolder();
      const job = await acceptIn(folder.path);
      const ended = await once(fork(program, [folder.path, step]), 'exit');
      expect(ended).to.deep.equal(step.startsWith('the journal fails') ? [0, null] : [null, 'SIGKILL']);
      const seen = [];
      for (const event of Object.keys(EVENTS)) seen.push([event, await endAfter(event, job, folder.path)]);
      expect(seen).to.deep.equal(Object.keys(EVENTS).map((event) => [event, expected(step, event)]));
    });
  }

  async function acceptIn(dataDir: string): Promise<BatchJob> {
    await using machine = await BatchMachine.open(dataDir, snapshots);
    const limits = { budgetPerMonth: BUDGET };
    return await machine.accept(await machine.issueKey({ customer: 'cus_a', limits }), ROWS);
  }

  /** Goes on with a copy of what the process left behind, with a journal that fails once more. */
  async function endAfter(event: string, job: BatchJob, dataDir: string) {
    using copy = temporaryFolder();
    cpSync(dataDir, copy.path, { recursive: true, verbatimSymlinks: true });
    await using machine = await BatchMachine.open(copy.path, snapshots);
    await EVENTS[event]!(machine, job);
    const record = machine.journal.do.bind(machine.journal);
    let faults = 1;
    machine.journal.do = (name, input) =>
      name === 'recordRows' && faults-- > 0
        ? Promise.reject(unavailable('STORAGE_FULL', 'the disk is full'))
        : record(name, input);
    await using runner = machine.run();
    runner.wake();
    const end = await machine.ended(job);
    const readable = (await machine.results(end)).filter(({ status }) => status === 200);
    const ids = readable.map(({ lookupId }) => lookupId).sort();
    const billed = machine.billed().filter((id) => !id.startsWith('lkp_elsewhere'));
    expect(ids, `${event}: readable and in the journal`).to.deep.equal(billed);
    return { state: end.state, counted: end.counts.found, readable: ids.length };
  }
});

/** Answers that are in place are billed and shown; others are so only if the batch goes on. */
function expected(step: EndingStep, event: string) {
  if (event === 'nothing') return { state: 'completed', counted: FOUND, readable: FOUND };
  if (event === 'its budget is used up') {
    const isBilled = step.startsWith('shown') || step === 'billed';
    const readable = isBilled ? FOUND_IN_FIRST : BUDGET - USED_ELSEWHERE;
    return { state: 'completed', counted: readable, readable };
  }
  const shown = step === 'stored' ? 0 : FOUND_IN_FIRST;
  return { state: 'failed', counted: shown, readable: shown };
}
