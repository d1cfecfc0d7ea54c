/** A lookup that hangs in its thread, in a native call, which nothing in the process can interrupt. */
import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { BatchClient } from '../support/drivers/batch-client.ts';
import { HangingService } from '../support/drivers/hanging-service.ts';
import { SAMPLE_ADDRESS } from '../support/material/served-sample.ts';

/** Ten of them are longer than a stop takes. */
const DEADLINE_MS = 2000;

describe('a lookup that hangs', function () {
  this.timeout(240_000);

  it('does not keep the process alive after SIGTERM', async () => {
    await using service = await HangingService.start(DEADLINE_MS);
    await service.hangOne(() => service.plain());
    await service.process.stop();
    expect(service.process.lines.map(({ message }) => message))
      .to.include('the stop took too long, the process is killed')
      .and.not.include('stopped');
  });

  it('does not do so as a row of a batch either', async () => {
    await using service = await HangingService.start(DEADLINE_MS);
    service.hangNext();
    await new BatchClient(() => service.process.url, service.key).send([SAMPLE_ADDRESS.address]);
    while (!service.hangs) await sleep(20);
    await service.process.stop();
  });

  it('has its thread replaced after ten deadlines; until then /readyz says that nobody is answered', async () => {
    await using service = await HangingService.start(DEADLINE_MS);
    await service.hangOne(() => service.plain());
    expect(await service.replaced()).to.deep.equal(['TOO_LATE']);
    expect(service.replacements).to.have.length(1);
    expect(await service.process.metrics()).to.contain('land_lookup_pool_hung_threads_total 1\n');
  });

  it('among the costly ones stops no plain lookup, however many costly ones wait', async () => {
    await using service = await HangingService.start(DEADLINE_MS);
    await service.hangOne(() => service.near());
    let answered = 0;
    while ((await service.readyz()).pool.hungThreads === 0) {
      const costly = [service.near(), service.near(), service.near()];
      const statuses: number[] = [];
      for (let n = 0; n < 10; n++) statuses.push((await service.plain()).status);
      await Promise.all(costly);
      // On a slow machine one may be late by itself.
      expect(statuses).to.satisfy((all: number[]) => all.every((status) => [200, 503].includes(status)));
      // The thread hung all the time meanwhile.
      if ((await service.readyz()).pool.hungThreads === 0)
        answered += statuses.filter((status) => status === 200).length;
    }
    expect(answered).to.be.above(0);
    while ((await service.near()).status !== 200) await sleep(50);
    expect(await service.process.metrics()).to.contain('land_lookup_pool_hung_threads_total 1\n');
  });

  it('as a row of a batch has a code of its own, and the other rows are answered', async () => {
    await using service = await HangingService.start(1000);
    const client = new BatchClient(() => service.process.url, service.key);
    service.hangNext();
    const id = await client.send(Array.from({ length: 40 }, () => SAMPLE_ADDRESS.address));
    const { state, rows } = await client.ended(id);
    expect(state).to.equal('completed');
    expect(rows).to.include({ done: 40, found: 39, failed: 1 });
    let text = '';
    await client.download(id, (part) => (text += part));
    const failed = text.split('\n').filter((line) => line !== '' && !line.includes('"status":200'));
    expect(failed).to.have.length(1);
    expect(JSON.parse(failed[0]!)).to.deep.include({ status: 500, code: 'UNANSWERABLE', lookupId: null });
    expect(service.replacements).to.have.length(1);
  });
});
