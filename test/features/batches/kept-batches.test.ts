/** A batch that the version before left under way. `test/release/kept-batches.test.ts` goes on with those of all versions. */
import { expect } from 'chai';
import { PATIENT_REDIS, until } from '../../support/drivers/patience.ts';
import { RedisServer } from '../../support/drivers/redis.ts';
import { ServiceHere } from '../../support/drivers/service-here.ts';
import { expectGoesOn, keptBatch, keptVersions, unpackBatch } from '../../support/oracles/kept-batches.ts';

const version = keptVersions.at(-1)!;

describe('A batch that an earlier version left under way', function () {
  this.timeout(240_000);

  it(`${version}: goes on, and each row is answered and billed once`, async () => {
    using folder = unpackBatch(version, 'machine');
    await expectGoesOn(folder.path);
  });

  it('0.2.0, in Redis and a bucket: stays there, and the start says so', async () => {
    using folder = unpackBatch('0.2.0', 'bucket');
    await using redis = await RedisServer.start('--dir', folder.path);
    await using service = await ServiceHere.start(folder.path, { REDIS_URL: redis.url }, PATIENT_REDIS);
    const warning = () => service.lines.find(({ message }) => String(message).startsWith('batches of version 0.2.0'));
    await until(() => warning() !== undefined);
    expect(warning()).to.include({ level: 'warn', unfinished: 1, withResults: 0 });
    const { key, batch } = keptBatch(folder.path);
    const asked = await fetch(`${service.url}/api/batches/${batch}`, { headers: { authorization: `Bearer ${key}` } });
    expect(asked.status).to.equal(404);
  });
});
