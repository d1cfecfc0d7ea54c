/** Limits without Redis: one process alone serves a data folder, because each would grant all of them. */
import { expect } from 'chai';
import { checkConfig } from '../../src/commands/check-config.ts';
import { issueKeys, ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';
import { ServiceProcess } from '../support/drivers/service-process.ts';

describe('A data folder without Redis', function () {
  this.timeout(240_000);

  it('is served by one process: the second one does not start, and says what to set', async () => {
    using folder = ownSampleFolder();
    const [key] = (await issueKeys({ dataDir: folder.path }, { count: 1, limitPerHour: 2 })) as [string];
    await using one = await ServiceHere.start(folder.path);
    const services: (ServiceHere | ServiceProcess)[] = [one];
    const second = await ServiceProcess.start(folder.path).then(
      (service) => services.push(service),
      (cause: unknown) => String(cause),
    );
    try {
      const statuses: number[] = [];
      for (let round = 0; round < 3; round++)
        for (const service of services) statuses.push((await service.lookup(key, SAMPLE_ADDRESS)).status);
      expect(statuses).to.deep.equal([200, 200, 429]);
    } finally {
      for (const service of services.slice(1)) await service[Symbol.asyncDispose]();
    }
    expect(second).to.match(
      /serve ended with 1: land-lookup: another process serves the same DATA_DIR, and without Redis each would grant all limits by itself: set REDIS_URL for both \(docs\/operations\.md, "Change to Redis"\), or stop the other one first \(it holds .*\)\n$/,
    );
    const ready = (await (await fetch(`${one.url}/readyz`)).json()) as { readonly redis: string };
    expect(ready.redis).to.equal('not configured, so no other process may serve the same data');
  });

  it('is taken over by the next process as soon as the one before stops', async () => {
    using folder = ownSampleFolder();
    const one = await ServiceHere.start(folder.path);
    const stopping = one[Symbol.asyncDispose]();
    await using two = await ServiceHere.start(folder.path);
    expect(two.url).to.match(/^http/);
    await stopping;
    const refused = await ServiceHere.start(folder.path).then(() => 'started', String);
    expect(refused, 'the stop of the first one leaves the second one alone').to.contain('another process serves');
  });

  it('is what "check-config" names', () => {
    expect(checkConfig(null, {})).to.match(/REDIS_URL +not set: one process alone can serve DATA_DIR/);
    expect(checkConfig(null, { REDIS_URL: 'redis://127.0.0.1:6379' })).to.not.contain('one process alone');
  });
});
