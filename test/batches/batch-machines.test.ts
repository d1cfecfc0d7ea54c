import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { seededRandom } from '../../src/shared/seeded-random.ts';
import { eventually } from '../support/oracles/batch-store-contract.ts';
import { BatchMachinesRun, killAtRandom } from '../support/drivers/batch-machines-run.ts';

describe('Three machines', () => {
  it('share the chunks of a batch', async () => {
    await using run = await BatchMachinesRun.start({ machines: 3, workMs: 250, lockMs: 10_000, takeOverMs: 60_000 });
    await run.startAll();
    const job = await run.add(45_000);
    await run.check(await run.ended(job));
    const shares = run.machines.map((machine) => machine.read().finished.length);
    // How evenly is in batch-machines.alone: it takes a machine on which all three get the processor.
    for (const share of shares) expect(share, shares.join()).to.be.above(0);
  });

  it('do the chunks of one that is frozen, and bill none twice', async () => {
    await using run = await BatchMachinesRun.start({ machines: 3, workMs: 250, lockMs: 800, takeOverMs: 60_000 });
    await run.startAll();
    const job = await run.add(20_000);
    await eventually(async () => ((await run.store.readyChunks(job)) > 2 ? true : null));
    run.machines[0]!.freeze();
    const thaw = sleep(6000).then(() => {
      run.machines[0]!.thaw();
    });
    const ended = await run.ended(job);
    await thaw;
    // What it was doing when it was frozen must not be billed afterwards either.
    await sleep(2000);
    await run.check(ended);
  });

  it('lose and repeat nothing when they and Redis are killed', async () => {
    await using run = await BatchMachinesRun.start({ machines: 3, workMs: 150, lockMs: 1000, takeOverMs: 60_000 });
    await run.startAll();
    const jobs = [await run.add(30_000), await run.add(30_500, 'key_b')];
    let isOver = false;
    const killing = killAtRandom(run, 10, seededRandom(20), () => isOver);
    const ended = await Promise.all(jobs.map((job) => run.ended(job)));
    isOver = true;
    await killing;
    for (const job of ended) await run.check(job);
  });
});
