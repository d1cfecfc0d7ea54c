import { expect } from 'chai';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RedisGroup, type RedisNode } from './redis-group.ts';
import { issueKeys, ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import { PATIENT_REDIS, until } from '../support/drivers/patience.ts';
import type { RunningService } from '../support/drivers/running-service.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';
import { createKeyIn, ServiceProcess } from '../support/drivers/service-process.ts';

describe('REDIS_URL', function () {
  this.timeout(240_000);

  it('rediss: TLS to a server whose authority the process trusts, and to no other', async () => {
    await using group = new RedisGroup();
    const { port } = await group.startTls();
    using folder = ownSampleFolder();
    const env = { REDIS_URL: `rediss://localhost:${port}` };
    const trusting = { ...env, NODE_EXTRA_CA_CERTS: join(group.dir, 'ca.crt') };
    const key = createKeyIn(folder.path, trusting, '--limit', '1000');
    {
      await using service = await ServiceProcess.start(folder.path, trusting);
      await service.untilAnswered(key, SAMPLE_ADDRESS, 200);
      const name = `land-lookup:quota:${await keyIdOf(service)}`;
      const counter = (): string => group.cli(port, ...group.tls, 'get', name).trim();
      while (counter() === '') await answered(service, key);
      await until(async () => (await limiterOf(service)) === 'ok');
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
    const [key] = await issueKeys({ dataDir: folder.path, redisUrl }, { count: 1, limitPerHour: 1_000_000 });
    await using service = await ServiceHere.start(folder.path, { REDIS_URL: redisUrl });
    await service.untilAnswered(key!, SAMPLE_ADDRESS, 200);
    const name = `land-lookup:quota:${await keyIdOf(service)}`;
    const countAt = ({ port }: RedisNode): number => Number(group.cli(port, 'get', name));
    while (countAt(master) < 10) await answered(service, key!);
    await group.until(() => countAt(replica) >= 10);

    master.process.kill('SIGKILL');
    // No request fails meanwhile.
    while (!group.isMaster(replica)) await answered(service, key!);
    const before = countAt(replica);
    expect(before, 'what the master had counted').to.be.at.least(10);
    // The process counts by itself until it has found the replica.
    while (countAt(replica) === before) await answered(service, key!);
    await until(async () => (await limiterOf(service)) === 'ok');
  });

  it('redis+cluster: keys and limits are spread over the nodes, and one that is away stops nobody', async () => {
    await using group = new RedisGroup();
    const nodes = await group.startCluster();
    using folder = ownSampleFolder();
    const redisUrl = `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
    const keys = await issueKeys({ dataDir: folder.path, redisUrl }, { count: 12, limitPerHour: 3 });
    const env = { REDIS_URL: redisUrl };
    {
      await using service = await ServiceHere.start(folder.path, env, PATIENT_REDIS);
      await spendAll(service, keys);
    }
    const counters = nodes.map(({ port }) => Number(group.cli(port, 'eval', COUNTERS, '0')));
    expect(counters.reduce((sum, count) => sum + count, 0)).to.equal(keys.length);
    expect(Math.max(...counters), 'on several nodes').to.be.lessThan(keys.length);

    await using service = await ServiceHere.start(folder.path, env);
    // It remembers keys that it has seen.
    for (const key of keys) await until(async () => (await service.lookup(key, SAMPLE_ADDRESS)).status !== 503);
    const away = nodes[counters.indexOf(Math.max(...counters))]!;
    away.process.kill('SIGSTOP');
    for (const key of keys) {
      const { status } = await service.lookup(key, SAMPLE_ADDRESS);
      expect(status, 'insured, or spent at a node that is there').to.be.oneOf([200, 429]);
    }
    away.process.kill('SIGCONT');
  });
});

const COUNTERS = "return #redis.call('keys', 'land-lookup:quota:*')";

/** Asks for a lookup, which must be answered. */
async function answered(service: RunningService, key: string): Promise<void> {
  expect((await service.lookup(key, SAMPLE_ADDRESS)).status).to.equal(200);
  await sleep(50);
}

/** Each key has three lookups. */
async function spendAll(service: RunningService, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await service.lookup(key, SAMPLE_ADDRESS)).status);
    expect(statuses).to.deep.equal([200, 200, 200, 429, 429]);
  }
}

async function limiterOf(service: RunningService): Promise<string> {
  return ((await (await fetch(`${service.url}/readyz`)).json()) as { redis: string }).redis;
}

/** The key of the last lookup. Its line in the log comes after its answer. */
async function keyIdOf(service: RunningService): Promise<string> {
  const line = () => service.lines.findLast(({ keyId }) => keyId !== undefined);
  await until(() => line() !== undefined);
  return String(line()!['keyId']);
}
