/** Two machines that do something to the same batch at the same moment: nothing that is billed may become unreadable. */
import { expect } from 'chai';
import { join } from 'node:path';
import type { BatchStore } from '../../src/batches/batch-store.ts';
import { resultsStream } from '../../src/batches/results.ts';
import { RECORD_KEPT_MS } from '../../src/batches/batch-store.ts';
import type { BatchJob } from '../../src/batches/job.ts';
import { readCatalogue } from '../../src/catalogue/read-definitions.ts';
import { projectDir } from '../../src/project.ts';
import { AppError } from '../../src/shared/problems.ts';
import { DAY_MS } from '../../src/shared/time.ts';
import { answersTo, rowsOf } from '../support/material/batch-material.ts';
import { addBatch, eventually, resultsOf, undisturbed } from '../support/oracles/batch-store-contract.ts';
import { BucketMachines, claimAndDie, work } from '../support/drivers/bucket-machines.ts';

const catalogue = readCatalogue(join(projectDir, 'layers'));
const ANY = (): boolean => true;
const SUSPENDED = 'it was not continued: the key is suspended';

describe('Machines at the same moment', () => {
  let machines: BucketMachines;
  let store: BatchStore;
  before(async () => {
    machines = await BucketMachines.start();
    store = await machines.open('one');
  });
  after(() => machines[Symbol.asyncDispose]());
  afterEach(async () => {
    machines.objects.fault = () => null;
    for (const { id } of await store.list('key_a', { limit: 100, after: null })) await store.remove(id);
    expect(await store.take(ANY)).to.be.null;
  });

  const inState = (job: BatchJob, state: BatchJob['state']): Promise<BatchJob> =>
    eventually(async () => {
      await store.take(ANY);
      const now = await store.find(job.id);
      return now?.state === state ? now : null;
    });

  /** A batch whose last step failed. */
  async function finalizing(): Promise<BatchJob> {
    const job = await addBatch(store, { rows: 1500 });
    machines.objects.fault = ({ path }) => (path.includes('end.json') ? 'slow down' : null);
    for (let i = 0; i < 2; i++) await work(store);
    expect((await store.find(job.id))!.state).to.equal('finalizing');
    machines.objects.fault = () => null;
    return job;
  }

  for (const name of ['read', 'doneChunks', 'finish']) {
    it(`keep all results when both end the batch (${name})`, async () => {
      const job = await finalizing();
      await using other = await machines.changes('other');
      let isEnded = false;
      await using late = await machines.changes('late', async (called) => {
        if (called !== name || isEnded) return;
        isEnded = true;
        await other.ending.end(job.id);
      });
      await late.ending.end(job.id);
      const ended = (await store.find(job.id))!;
      expect([isEnded, ended.state]).to.deep.equal([true, 'completed']);
      expect(await resultsOf(store, ended)).to.equal(undisturbed(ended));
    });
  }

  it('keep all results when one ends a batch while the other shows its last chunk', async () => {
    const job = await addBatch(store, { rows: 1500 });
    await work(store);
    let isDone = false;
    await using early = await machines.changes('early', async (called) => {
      if (called !== 'read' || isDone) return;
      isDone = true;
      machines.objects.fault = ({ path }) => (path.includes('end.json') ? 'slow down' : null);
      await work(store);
      machines.objects.fault = () => null;
    });
    await early.ending.end(job.id);
    expect(isDone).to.be.true;
    expect(await resultsOf(store, await inState(job, 'completed'))).to.equal(undisturbed(job));
  });

  it('read the answers of a chunk whose batch ends meanwhile', async () => {
    const reader = await machines.open('reader');
    const job = await addBatch(store, { rows: 1500 });
    await work(store);
    const find = reader.find.bind(reader);
    let isFirst = true;
    reader.find = async (id) => {
      const found = await find(id);
      if (isFirst) await work(store);
      isFirst = false;
      return found;
    };
    expect(await reader.readResult(job, 0)).to.equal(answersTo({ job, index: 0 }, rowsOf(1500, 0)).text);
    expect(await find(job.id)).to.include({ state: 'completed' });
  });

  it('never show results that were deleted meanwhile as if they were all', async () => {
    const job = await addBatch(store, { rows: 10 });
    await work(store);
    const ended = (await store.find(job.id))!;
    const read = async (): Promise<string> => {
      const options = { format: 'ndjson', afterRow: 0, catalogue, attribution: [] } as const;
      for await (const part of resultsStream(store, ended, options)) return String(part);
      return 'nothing';
    };
    expect(await read()).to.contain('"row":1');
    await store.expire(Date.now() + 2 * DAY_MS);
    expect(await read().catch(codeOf)).to.equal('GONE');
    await store.remove(job.id);
    expect(await read().catch(codeOf)).to.equal('GONE');
  });

  it('finish a chunk that may be billed when its machine is back, although the batch is to fail', async () => {
    const job = await addBatch(store, { rows: 2500 });
    await claimAndDie(await machines.open('stopped'));
    await store.fail(job.id, SUSPENDED);
    expect(await store.find(job.id)).to.include({ state: 'running' });
    expect(await store.take(ANY)).to.be.null;
    const again = await machines.open('stopped');
    const chunk = await eventually(() => again.take(ANY));
    expect(chunk).to.include({ index: 0, mayBeBilled: true });
    const answers = answersTo(chunk, await again.rowsOf(chunk));
    expect(await again.finish(chunk, answers, () => Promise.resolve())).to.be.true;
    expect(await resultsOf(store, await inState(job, 'failed'))).to.equal(answers.text);
  });

  it('wait no longer for a machine that does not come back', async () => {
    const job = await addBatch(store, { rows: 2500 });
    await claimAndDie(await machines.open('gone'));
    await store.fail(job.id, SUSPENDED);
    expect(await resultsOf(store, await inState(job, 'failed'))).to.equal('');
  });

  it('forget a batch that expired only after the time for that, whoever found it first', async () => {
    const job = await addBatch(store, { rows: 10 });
    await work(store);
    const expiredMs = Date.now() + 2 * DAY_MS;
    let isExpired = false;
    await using late = await machines.changes('late', async (called) => {
      if (called !== 'find' || isExpired) return;
      isExpired = true;
      await store.expire(expiredMs);
    });
    await late.changes.clean(expiredMs);
    expect([isExpired, (await store.find(job.id))?.state]).to.deep.equal([true, 'expired']);
    await store.expire(expiredMs + RECORD_KEPT_MS);
    expect(await store.find(job.id)).to.be.null;
  });

  it('mark all that expired before they delete the first object', async () => {
    const jobs = [await addBatch(store, { rows: 10 }), await addBatch(store, { rows: 10 })];
    for (let i = 0; i < jobs.length; i++) await work(store);
    const states: (string | undefined)[] = [];
    machines.objects.fault = ({ method }) => {
      if (method === 'DELETE')
        void Promise.all(jobs.map(({ id }) => store.find(id))).then((found) =>
          states.push(...found.map((job) => job?.state)),
        );
      return null;
    };
    await store.expire(Date.now() + 2 * DAY_MS);
    await eventually(() => Promise.resolve(states.length >= 2 ? true : null));
    expect(states.slice(0, 2)).to.deep.equal(['expired', 'expired']);
  });

  it('keep results by the time of Redis, whatever the clock of a machine says', async () => {
    const job = await addBatch(store, { rows: 10 });
    const fast = await machines.open('fast', { mostAheadMs: 60_000 });
    await work(store);
    await fast.expire(Date.now() + 8 * DAY_MS);
    expect(await store.find(job.id)).to.include({ state: 'completed' });
    const slow = await addBatch(store, { rows: 10 });
    const now = Date.now;
    Date.now = () => now() - 10 * DAY_MS;
    try {
      await work(store);
    } finally {
      Date.now = now;
    }
    const { expiresAt } = (await store.find(slow.id))!;
    expect(Date.parse(expiresAt!)).to.be.above(Date.now());
  });
});

const codeOf = (cause: unknown): string => (cause instanceof AppError ? cause.code : String(cause));
