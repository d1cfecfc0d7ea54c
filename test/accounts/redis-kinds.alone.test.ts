/** How long a request takes while a Redis of several is away. */
import { expect } from 'chai';
import { RedisGroup } from './redis-group.ts';
import { issueKeys, ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import type { RunningService } from '../support/drivers/running-service.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';

/** Longer than a request may take. */
const MOST_MS = 5000;

describe('A request', function () {
  this.timeout(240_000);

  it(`takes less than ${MOST_MS} ms while sentinels put a replica in the place of a master`, async () => {
    await using group = new RedisGroup();
    const master = await group.start();
    const replica = await group.start('--replicaof', '127.0.0.1', String(master.port));
    await group.until(() => group.cli(replica.port, 'info', 'replication').includes('master_link_status:up'));
    const sentinel = await group.startSentinel(master);
    using folder = ownSampleFolder();
    const redisUrl = `redis+sentinel://127.0.0.1:${sentinel.port}/mymaster`;
    const keys = await issueKeys({ dataDir: folder.path, redisUrl }, { count: 1, limitPerHour: 1_000_000 });
    await using service = await ServiceHere.start(folder.path, { REDIS_URL: redisUrl });
    await ask(service, keys);
    master.process.kill('SIGKILL');
    while (!group.isMaster(replica)) await ask(service, keys);
    await ask(service, keys);
  });

  it(`takes less than ${MOST_MS} ms while a node of a cluster is frozen`, async () => {
    await using group = new RedisGroup();
    const nodes = await group.startCluster();
    using folder = ownSampleFolder();
    const redisUrl = `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
    const keys = await issueKeys({ dataDir: folder.path, redisUrl }, { count: 12, limitPerHour: 1000 });
    await using service = await ServiceHere.start(folder.path, { REDIS_URL: redisUrl });
    await ask(service, keys);
    for (const node of nodes) {
      node.process.kill('SIGSTOP');
      await ask(service, keys);
      node.process.kill('SIGCONT');
    }
  });
});

/** Each key is answered in time. */
async function ask(service: RunningService, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const startMs = performance.now();
    expect((await service.lookup(key, SAMPLE_ADDRESS)).status).to.equal(200);
    expect(performance.now() - startMs).to.be.lessThan(MOST_MS);
  }
}
