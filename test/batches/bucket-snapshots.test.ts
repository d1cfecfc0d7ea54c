/** Machines that do not all have the snapshot of a batch. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { BatchStore } from '../../src/batches/batch-store.ts';
import type { BatchJob } from '../../src/batches/job.ts';
import { addBatch, eventually } from '../support/oracles/batch-store-contract.ts';
import { BucketMachines } from '../support/drivers/bucket-machines.ts';

/** Short, because the tests wait for it several times; longer than a slow machine takes from one report to the next. */
const snapshotGoneMs = 2000;

describe('The snapshot of a batch among many machines', function () {
  this.timeout(240_000);
  let machines: BucketMachines;
  let [one, two]: BatchStore[] = [];
  beforeEach(async () => {
    machines = await BucketMachines.start();
    [one, two] = [
      await machines.open('machine-1', { snapshotGoneMs }),
      await machines.open('machine-2', { snapshotGoneMs }),
    ];
  });
  afterEach(() => machines[Symbol.asyncDispose]());

  /** Reports until the batch has failed. */
  const failed = (id: string, report: () => Promise<void>): Promise<BatchJob> =>
    eventually(async () => {
      await report();
      const job = (await one!.find(id))!;
      return job.state === 'failed' ? job : null;
    });

  it('keeps the batch waiting as long as one machine has it, and fails it some time after', async () => {
    const { id, snapshot } = await addBatch(one!, { rows: 10 });
    const [has, lacks] = [new Map([[snapshot, null]]), new Map([[snapshot, 'it was deleted']])];
    const stateAfter = async (report: () => Promise<void>): Promise<string> => {
      const endMs = performance.now() + 2 * snapshotGoneMs;
      while (performance.now() < endMs) {
        await report();
        await sleep(50);
      }
      return (await one!.find(id))!.state;
    };
    const withBoth = await stateAfter(async () => {
      await one!.reportSnapshots(has);
      await two!.reportSnapshots(lacks);
    });
    expect(withBoth).to.equal('queued');
    expect((await failed(id, () => two!.reportSnapshots(lacks))).error).to.equal(
      `no machine has the snapshot ${snapshot}, which answers its rows`,
    );
  });

  it('is not given up by the machine that is back first after Redis was away', async () => {
    const { id, snapshot } = await addBatch(one!, { rows: 10 });
    const lacks = new Map([[snapshot, 'it was deleted']]);
    await one!.reportSnapshots(new Map([[snapshot, null]]));
    await two!.reportSnapshots(lacks);
    await sleep(2 * snapshotGoneMs);
    await two!.reportSnapshots(lacks);
    expect((await one!.find(id))!.state).to.equal('queued');
    expect((await failed(id, () => two!.reportSnapshots(lacks))).isCancelled).to.equal(false);
  });

  it('is not given up when the clock of Redis jumps ahead', async () => {
    const { id, snapshot } = await addBatch(one!, { rows: 10 });
    const lacks = new Map([[snapshot, 'it was deleted']]);
    const endMs = performance.now() + 2 * snapshotGoneMs;
    while (performance.now() < endMs) {
      await sleep(20);
      await one!.reportSnapshots(new Map([[snapshot, null]]));
      await two!.reportSnapshots(lacks);
    }
    await using client = machines.redis.client();
    await client.redis.hincrby('{land-lookup:batches}:had', snapshot, -2 * snapshotGoneMs);
    await two!.reportSnapshots(lacks);
    expect((await one!.find(id))!.state).to.equal('queued');
  });

  it('is not given up by the first machine that starts after all were off', async () => {
    const { id, snapshot } = await addBatch(one!, { rows: 10 });
    await one!.reportSnapshots(new Map([[snapshot, null]]));
    await sleep(2 * snapshotGoneMs);
    await two!.reportSnapshots(new Map([[snapshot, 'it was deleted']]));
    expect((await one!.find(id))!.state).to.equal('queued');
    const report = () => two!.reportSnapshots(new Map([[snapshot, 'it was deleted']]));
    expect((await failed(id, report)).isCancelled).to.equal(false);
  });
});
