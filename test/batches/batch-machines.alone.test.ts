import { expect } from 'chai';
import { BatchMachinesRun } from '../support/drivers/batch-machines-run.ts';

describe('Three machines', function () {
  this.timeout(240_000);

  it('share the chunks of a batch evenly', async () => {
    await using run = await BatchMachinesRun.start({ machines: 3, workMs: 250, lockMs: 10_000, takeOverMs: 60_000 });
    await run.startAll();
    const job = await run.add(45_000);
    await run.check(await run.ended(job));
    const shares = run.machines.map((machine) => machine.read().finished.length);
    for (const share of shares) expect(share, shares.join()).to.be.within(12, 18);
  });
});
