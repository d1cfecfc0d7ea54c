/** Batches that earlier versions were answering when they were killed, in files and in a bucket. */
import { join } from 'node:path';
import { ObjectStore } from '../support/doubles/object-store.ts';
import { RedisServer } from '../support/drivers/redis.ts';
import { expectGoesOn, keptVersions, unpackBatch } from '../support/oracles/kept-batches.ts';

describe('A batch that an earlier version left under way', function () {
  this.timeout(240_000);

  for (const version of keptVersions) {
    it(`${version}, in files: goes on, and each row is answered and billed once`, async () => {
      using folder = unpackBatch(version, 'machine');
      await expectGoesOn(folder.path);
    });

    it(`${version}, in Redis and a bucket: goes on, and each row is answered and billed once`, async () => {
      using folder = unpackBatch(version, 'bucket');
      await using redis = await RedisServer.start('--dir', folder.path);
      await using objects = await ObjectStore.start(join(folder.path, 'objects'));
      await expectGoesOn(folder.path, {
        ...{ REDIS_URL: redis.url, BATCH_STORE: 's3://batches/kept', S3_ENDPOINT: objects.bucket.endpoint! },
        ...{ AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' },
      });
    });
  }
});
