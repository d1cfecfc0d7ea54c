import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { connectRedis, whenReady } from '../../src/core/stores/redis.ts';
import { RedisServer } from '../support/drivers/redis.ts';

describe('The connection to Redis', function () {
  this.timeout(60_000);

  it('writes the commands of a turn of the event loop in one piece at its end', async () => {
    await using server = await RedisServer.start();
    const redis = connectRedis(server.url, () => undefined, 30_000) as Redis;
    await whenReady(redis, 30_000);
    for (const turn of [0, 1]) {
      const writtenBytes = redis.stream.bytesWritten - redis.stream.writableLength;
      const replies = Array.from({ length: 20 }, () => redis.incr('count'));
      expect(redis.stream.writableLength).to.be.above(20 * 'incr count'.length);
      expect(redis.stream.bytesWritten - redis.stream.writableLength).to.equal(writtenBytes);
      expect(await Promise.all(replies)).to.deep.equal(Array.from({ length: 20 }, (_, i) => 20 * turn + i + 1));
      expect(redis.stream.writableLength).to.equal(0);
    }
    // What is under way when the connection is given up fails, also before it was written.
    const late = redis.incr('count').catch(() => 'failed');
    redis.disconnect();
    expect(await late).to.be.oneOf(['failed', 41]);
  });
});
