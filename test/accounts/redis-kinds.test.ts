import { expect } from 'chai';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RedisGroup } from './redis-group.ts';
import { issueKeys, ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import type { RunningService } from '../support/drivers/running-service.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';
import { createKeyIn, ServiceProcess } from '../support/drivers/service-process.ts';

const ENV = { LOOKUP_DEADLINE_MS: '20000' };

/** Longer than a request may take while a Redis is away, on a busy machine. */
const MOST_MS = 5000;

describe('REDIS_URL', function () {
  this.timeout(240_000);

  it('rediss: TLS to a server whose authority the process trusts, and to no other', async () => {
    await using group = new RedisGroup();
    const { port } = await group.startTls();
    using folder = ownSampleFolder();
    const env = { ...ENV, REDIS_URL: `rediss://localhost:${port}` };
    const trusting = { ...env, NODE_EXTRA_CA_CERTS: join(group.dir, 'ca.crt') };
    const key = createKeyIn(folder.path, trusting, '--limit', '10');
    {
      await using service = await ServiceProcess.start(folder.path, trusting);
      expect(await remaining(service, key)).to.equal(9);
      expect(await limiterOf(service)).to.equal('ok');
    }
    // A machine that remembers no key of that Redis.
    using elsewhere = ownSampleFolder();
    await using other = await ServiceProcess.start(elsewhere.path, env);
    expect((await other.lookup(key, SAMPLE_ADDRESS)).status, 'the keys are not to be had').to.equal(503);
    expect(await limiterOf(other)).to.match(/^unavailable/);
  });

  it('redis+sentinel: follows the master to its replica while requests go on', async () => {
    await using group = new RedisGroup();
    const master = await group.start();
    const replica = await group.start('--replicaof', '127.0.0.1', String(master.port));
    await group.until(() => group.cli(replica.port, 'info', 'replication').includes('master_link_status:up'));
    // It looks for replicas at its start, and then every 10 s.
    const sentinel = await group.startSentinel(master);
    using folder = ownSampleFolder();
    const redisUrl = `redis+sentinel://127.0.0.1:${sentinel.port}/mymaster`;
    const [key] = await issueKeys({ dataDir: folder.path, redisUrl }, { count: 1, limitPerHour: 1000 });
    await using service = await ServiceHere.start(folder.path, { ...ENV, REDIS_URL: redisUrl });
    for (let left = 999; left >= 990; left--) expect(await remaining(service, key!)).to.equal(left);
    await group.until(() => group.cli(replica.port, 'get', `land-lookup:quota:${keyIdOf(service)}`).trim() === '10');

    master.process.kill('SIGKILL');
    await askUntil(service, key!, async () => group.isMaster(replica) && (await limiterOf(service)) === 'ok');
    expect(await remaining(service, key!), 'the count is that of the replica').to.be.lessThan(990);
  });

  it('redis+cluster: keys and limits are spread over the nodes, and one that is away stops nobody', async () => {
    await using group = new RedisGroup();
    const nodes = await group.startCluster();
    using folder = ownSampleFolder();
    const redisUrl = `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
    const keys = await issueKeys({ dataDir: folder.path, redisUrl }, { count: 12, limitPerHour: 3 });
    await using service = await ServiceHere.start(folder.path, { ...ENV, REDIS_URL: redisUrl });
    for (const key of keys) {
      const statuses: number[] = [];
      for (let i = 0; i < 5; i++) statuses.push((await service.lookup(key, SAMPLE_ADDRESS)).status);
      expect(statuses).to.deep.equal([200, 200, 200, 429, 429]);
    }
    const counters = nodes.map(({ port }) => Number(group.cli(port, 'eval', COUNTERS, '0')));
    expect(counters.reduce((sum, count) => sum + count, 0)).to.equal(keys.length);
    expect(Math.max(...counters), 'on several nodes').to.be.lessThan(keys.length);

    const away = nodes[counters.indexOf(Math.max(...counters))]!;
    away.process.kill('SIGSTOP');
    for (const key of keys) {
      const start = performance.now();
      const { status } = await service.lookup(key, SAMPLE_ADDRESS);
      expect(performance.now() - start).to.be.lessThan(MOST_MS);
      expect(status, 'insured, or spent at a node that is there').to.be.oneOf([200, 429]);
    }
    away.process.kill('SIGCONT');
  });
});

const COUNTERS = "return #redis.call('keys', 'land-lookup:quota:*')";

/** What a lookup leaves. */
async function remaining(service: RunningService, key: string): Promise<number> {
  const response = await service.lookup(key, SAMPLE_ADDRESS);
  expect(response.status).to.equal(200);
  return Number(/r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]);
}

async function limiterOf(service: RunningService): Promise<string> {
  return ((await (await fetch(`${service.url}/readyz`)).json()) as { redis: string }).redis;
}

/** The key of the last lookup. */
function keyIdOf(service: RunningService): string {
  return String(service.lines.findLast(({ keyId }) => keyId !== undefined)!['keyId']);
}

/** No request fails meanwhile, or takes long. */
async function askUntil(service: RunningService, key: string, isDone: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await isDone())) {
    const start = performance.now();
    expect((await service.lookup(key, SAMPLE_ADDRESS)).status).to.equal(200);
    expect(performance.now() - start).to.be.lessThan(MOST_MS);
    expect(performance.now(), 'in a minute').to.be.lessThan(end);
    await sleep(50);
  }
}
