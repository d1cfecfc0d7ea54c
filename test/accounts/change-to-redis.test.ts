/** Keys in a file and keys in Redis, in processes on one data folder. */
import { expect } from 'chai';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandHere, commandHereOrThrow } from '../support/drivers/command-here.ts';
import { PATIENT_REDIS } from '../support/drivers/patience.ts';
import { RedisServer } from '../support/drivers/redis.ts';
import { ownSampleFolder, SAMPLE_ADDRESS } from '../support/material/served-sample.ts';
import type { RunningService } from '../support/drivers/running-service.ts';
import { ServiceHere } from '../support/drivers/service-here.ts';
import { newKey, ServiceProcess } from '../support/drivers/service-process.ts';
import { given } from '../support/drivers/given.ts';

const ROWS = 3000;

/** Of the keys that send batches. */
const limits = { batchRowsPerDay: 100_000 };

interface Batch {
  readonly id: string;
  readonly state: string;
  readonly error?: string;
  readonly rows: { readonly found: number };
}

/** Sends a batch of the sample's address again and again. */
async function sendBatch(service: RunningService, key: string): Promise<Batch> {
  const response = await fetch(`${service.url}/api/batches`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
    body: `${JSON.stringify(SAMPLE_ADDRESS)}\n`.repeat(ROWS),
  });
  expect(response.status, await response.clone().text()).to.equal(202);
  return (await response.json()) as Batch;
}

/** The batch once it has ended. */
async function ended(service: RunningService, key: string, { id }: Batch): Promise<Batch> {
  for (;;) {
    const response = await fetch(`${service.url}/api/batches/${id}`, { headers: { authorization: `Bearer ${key}` } });
    const batch = (await response.json()) as Batch;
    if (['completed', 'failed'].includes(batch.state)) return batch;
    await sleep(100);
  }
}

describe('The change to Redis', function () {
  this.timeout(240_000);

  it('refuses a database that Redis does not have, and touches no other', async () => {
    await using redis = await RedisServer.start();
    using folder = ownSampleFolder();
    const env = { REDIS_URL: `${redis.url}?db=99` };
    const { status, stderr } = await commandHere(folder.path, env, 'keys', 'create', '--name', 'staging');
    expect(status).to.equal(1);
    expect(stderr).to.match(/^land-lookup: the Redis of REDIS_URL cannot be used: .*index is out of range\n$/);
    await using service = await ServiceHere.start(folder.path, env);
    expect((await service.lookup(`olk_${'x'.repeat(38)}`, SAMPLE_ADDRESS)).status).to.equal(401);
    const ready = await fetch(`${service.url}/readyz`);
    expect(ready.status).to.equal(503);
    expect(await ready.text()).to.contain('KEYS_UNREACHABLE');
    await using client = redis.client();
    expect(await client.redis.dbsize()).to.equal(0);
  });

  given('batches').it('leaves batches of the other key store alone', async () => {
    await using redis = await RedisServer.start('--appendonly', 'yes');
    using folder = ownSampleFolder();
    const env = { REDIS_URL: redis.url };
    const inRedis = await newKey(folder.path, { limits }, redis.url);
    const inFile = await newKey(folder.path, { limits });
    await using before = await ServiceHere.start(folder.path);
    await using after = await ServiceHere.start(folder.path, env, PATIENT_REDIS);
    const batches = await Promise.all([sendBatch(after, inRedis), sendBatch(before, inFile)]);
    const [ofRedis, ofFile] = [await ended(after, inRedis, batches[0]), await ended(before, inFile, batches[1])];
    for (const batch of [ofRedis, ofFile]) {
      expect(batch).to.include({ state: 'completed' });
      expect(batch.rows).to.include({ found: ROWS });
    }
  });

  given('batches').it('goes on with the batches and keys that there are, by the commands of the runbook', async () => {
    await using redis = await RedisServer.start('--appendonly', 'yes');
    using folder = ownSampleFolder();
    const key = await newKey(folder.path, { limits });
    await using old = await ServiceProcess.start(folder.path);
    const batch = await sendBatch(old, key);
    const file = join(folder.path, 'keys.jsonl');
    await commandHereOrThrow(folder.path, 'keys', 'export', '--to', file);
    const env = { REDIS_URL: redis.url };
    expect((await commandHere(folder.path, env, 'keys', 'import', file)).stdout).to.contain('1 keys imported');
    await using changed = await ServiceHere.start(folder.path, env, PATIENT_REDIS);
    for (const service of [old, changed]) expect((await service.lookup(key, SAMPLE_ADDRESS)).status).to.equal(200);
    expect(await old.stop()).to.equal(0);
    expect(await ended(changed, key, batch)).to.include({ state: 'completed' });
  });
});
