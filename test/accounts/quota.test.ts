import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { Quota, type QuotaOptions } from '../../src/core/limits/quota.ts';
import { connectRedis, whenReady } from '../../src/core/stores/redis.ts';
import { AppError } from '../../src/messages/problems.ts';
import { PATIENT_REDIS, untilSucceeds } from '../support/drivers/patience.ts';
import { RedisServer } from '../support/drivers/redis.ts';

/** Spends `times` at once; gives how many were granted. */
async function granted(quota: Quota, limit: number, times: number, keyId = 'key_a'): Promise<number> {
  const results = await Promise.allSettled(Array.from({ length: times }, () => quota.spend(keyId, limit)));
  for (const result of results) {
    if (result.status === 'rejected')
      expect(result.reason).to.be.instanceOf(AppError).with.property('code', 'RATE_LIMITED');
  }
  return results.filter(({ status }) => status === 'fulfilled').length;
}

function refusalIn(reason: unknown): AppError {
  if (reason instanceof AppError) return reason;
  throw new Error('was not refused');
}

/** Whether a window may have ended by now. */
interface IsOver {
  (): boolean;
  /** Another window begins. */
  startAgain: () => void;
}

/** Does something that must be done within a window of so many seconds; again with a longer one, when the machine was slower than the window. */
async function inWindow(hourS: number, work: (hourS: number, isOver: IsOver) => Promise<void>): Promise<void> {
  await untilSucceeds(hourS, async (windowS) => {
    let startMs = performance.now();
    let wasOver = false;
    const isOver = (): boolean => (wasOver ||= performance.now() - startMs >= windowS * 1000);
    const startAgain = (): void => {
      startMs = performance.now();
    };
    await work(windowS, Object.assign(isOver, { startAgain }));
    return !wasOver;
  });
}

describe('Quota', () => {
  let server: RedisServer;
  before(async () => {
    server = await RedisServer.start();
  });
  after(() => server[Symbol.asyncDispose]());

  async function redisQuota(
    options: QuotaOptions = {},
    timeoutMs: number = PATIENT_REDIS.redisTimeoutMs,
  ): Promise<AsyncDisposable & { quota: Quota }> {
    const redis = connectRedis(server.url, () => undefined, timeoutMs);
    await whenReady(redis, PATIENT_REDIS.redisTimeoutMs);
    return {
      quota: new Quota({ redis, ...options }),
      [Symbol.asyncDispose]: async () => {
        await redis.flushall().catch(() => undefined);
        redis.disconnect();
      },
    };
  }

  const kinds: Record<string, (options?: QuotaOptions) => Promise<AsyncDisposable & { quota: Quota }>> = {
    'in memory': (options = {}) =>
      Promise.resolve({ quota: new Quota(options), [Symbol.asyncDispose]: () => Promise.resolve() }),
    'in Redis': redisQuota,
  };

  for (const [name, open] of Object.entries(kinds)) {
    describe(name, () => {
      it('grants exactly the limit, counts keys apart and says what is left', async () => {
        await using opened = await open();
        const { quota } = opened;
        expect(await granted(quota, 10, 25)).to.equal(10);
        const { resetS, ...state } = (await quota.spend('key_b', 10)).state;
        expect(state).to.deep.equal({ limit: 10, windowS: 3600, remaining: 9 });
        expect(resetS).to.be.within(3000, 3600);
        expect(await quota.peek('key_a', 10)).to.include({ remaining: 0 });
        expect(await quota.peek('key_c', 10)).to.deep.equal({ limit: 10, windowS: 3600, remaining: 10, resetS: 3600 });
      });

      it('spends several units at once, or none of them', async () => {
        await using opened = await open();
        const { quota } = opened;
        expect((await quota.spend('key_a', 10, 7)).state).to.include({ remaining: 3 });
        refusalIn(await quota.spend('key_a', 10, 4).catch((cause: unknown) => cause));
        expect(await quota.peek('key_a', 10)).to.include({ remaining: 3 });
        expect((await quota.spend('key_a', 10, 3)).state).to.include({ remaining: 0 });
      });

      it('refuses with Retry-After and the headers, and grants again once that is waited out', async () => {
        await inWindow(4, async (hourS, isOver) => {
          await using opened = await open({ hourS });
          const { quota } = opened;
          expect(await granted(quota, 2, 2)).to.equal(2);
          const reason: unknown = await quota.spend('key_a', 2).catch((cause: unknown) => cause);
          if (isOver()) return;
          const { headers } = refusalIn(reason);
          expect(headers).to.include({ 'RateLimit-Policy': `"lookup";q=2;w=${hourS}` });
          expect(headers['RateLimit']).to.match(/^"lookup";r=0;t=\d+$/);
          expect(Number(headers['Retry-After'])).to.be.within(1, hourS);
          await sleep(Number(headers['Retry-After']) * 1000 + 20);
          expect(await granted(quota, 2, 3)).to.equal(2);
        });
      });

      it('grants a unit that was given back, also after refusals in between', async () => {
        await using opened = await open();
        const { quota } = opened;
        const spending = await quota.spend('key_a', 3);
        expect(await granted(quota, 3, 20)).to.equal(2);
        expect(await spending.giveBack()).to.include({ remaining: 1 });
        expect(await granted(quota, 3, 20)).to.equal(1);
      });

      it('gives nothing back into the next window', async () => {
        await inWindow(3, async (hourS, isOver) => {
          await using opened = await open({ hourS });
          const { quota } = opened;
          const spending = await quota.spend('key_a', 2);
          await sleep(hourS * 1000 + 50);
          isOver.startAgain();
          await quota.spend('key_a', 2);
          await spending.giveBack();
          const again = await granted(quota, 2, 5);
          if (!isOver()) expect(again).to.equal(1);
        });
      });
    });
  }

  it('shares one count between connections', async () => {
    await using first = await redisQuota();
    await using second = await redisQuota();
    const [one, two] = await Promise.all([granted(first.quota, 100, 80), granted(second.quota, 100, 80)]);
    expect(one + two).to.equal(100);
  });

  it('keeps no counter without an end in Redis', async () => {
    await using opened = await redisQuota();
    const spending = await opened.quota.spend('key_a', 5);
    await granted(opened.quota, 5, 10);
    await spending.giveBack();
    await using client = server.client();
    const keys = await client.redis.keys('*');
    expect(keys).to.deep.equal(['land-lookup:quota:key_a']);
    expect(await client.redis.pttl(keys[0]!)).to.be.within(3_500_000, 3_600_000);
  });

  it('ends a window that began while the clock of Redis was a day ahead', async () => {
    await using opened = await redisQuota();
    const { quota } = opened;
    expect(await granted(quota, 2, 5)).to.equal(2);
    await using client = server.client();
    await client.redis.pexpire('land-lookup:quota:key_a', 86_400_000);
    expect(await quota.peek('key_a', 2)).to.include({ remaining: 2 });
    expect(await granted(quota, 2, 5)).to.equal(2);
    expect(await client.redis.pttl('land-lookup:quota:key_a')).to.be.within(3_500_000, 3_600_000);
  });

  it('counts by itself while Redis is a replica, and says so also when it has connected again', async () => {
    await using replica = await RedisServer.start();
    await using client = replica.client();
    const redis = connectRedis(replica.url, () => undefined, PATIENT_REDIS.redisTimeoutMs);
    try {
      await whenReady(redis, PATIENT_REDIS.redisTimeoutMs);
      const quota = new Quota({ redis });
      expect(await granted(quota, 5, 2)).to.equal(2);
      expect(quota.mode).to.equal('shared');
      await client.redis.replicaof('127.0.0.1', 1);
      for (let i = 0; i < 2; i++) {
        expect(await granted(quota, 5, 1), 'which ends the connection').to.equal(1);
        while (redis.status === 'ready') await sleep(1);
        expect(await granted(quota, 5, 1), 'without one').to.equal(1);
        await whenReady(redis, PATIENT_REDIS.redisTimeoutMs);
        expect(redis.status).to.equal('ready');
        expect(quota.mode).to.equal('insurance');
      }
      await client.redis.replicaof('NO', 'ONE');
      expect(await granted(quota, 5, 4), 'what Redis had left').to.equal(3);
      expect(quota.mode).to.equal('shared');
    } finally {
      redis.disconnect();
    }
  });

  it('counts by itself while Redis is frozen or gone, and shares again afterwards', async () => {
    const causes: Error[] = [];
    // It waits that long for the Redis that is frozen.
    await using opened = await redisQuota({ onInsurance: (cause) => causes.push(cause) }, 3000);
    const { quota } = opened;
    expect(await granted(quota, 5, 5)).to.equal(5);
    expect(quota.mode).to.equal('shared');

    server.freeze();
    expect(await granted(quota, 5, 8), 'frozen').to.equal(5);
    expect(causes.length).to.be.greaterThan(0);
    expect(quota.mode).to.equal('insurance');
    server.thaw();

    await server.kill();
    expect(await granted(quota, 5, 8), 'the insurance is spent').to.equal(0);

    await server.start();
    while (quota.mode !== 'shared') await sleep(50);
    const noted = causes.length;
    expect(await granted(quota, 5, 8), 'a new Redis').to.equal(5);
    expect(causes.length).to.equal(noted);
    expect(quota.mode).to.equal('shared');
    expect(new Quota().mode).to.equal('process');
  });
});
