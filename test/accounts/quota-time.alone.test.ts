import { expect } from 'chai';
import { Quota } from '../../src/core/limits/quota.ts';
import { connectRedis, whenReady } from '../../src/core/stores/redis.ts';
import { RedisServer } from '../support/drivers/redis.ts';
import { msWithoutStalls } from '../support/drivers/without-stalls.ts';

const MOST_MS = 250;
const LIMIT = 5;

describe('The time of a limit whose Redis fails', () => {
  it(`is less than ${MOST_MS} ms, frozen or gone`, async () => {
    await using server = await RedisServer.start();
    const redis = connectRedis(server.url, () => undefined);
    await whenReady(redis, 5000);
    const quota = new Quota({ redis });
    const spend = () => Promise.allSettled(Array.from({ length: 8 }, () => quota.spend('key_a', LIMIT)));
    await spend();
    server.freeze();
    expect(await msWithoutStalls(spend), 'frozen').to.be.lessThan(MOST_MS);
    expect(quota.mode).to.equal('insurance');
    server.thaw();
    await server.kill();
    expect(await msWithoutStalls(spend), 'gone').to.be.lessThan(MOST_MS);
    redis.disconnect();
  });
});
