import { expect } from 'chai';
import { Budget } from '../../src/core/limits/budget.ts';
import { NO_LIMITS, type KeyLimits } from '../../src/core/keys/key-store.ts';
import { setKey } from '../../src/core/keys/keys.ts';
import { connectRedis, whenReady } from '../../src/core/stores/redis.ts';
import { Journal } from '../../src/core/usage/journal.ts';
import { createLookupId } from '../../src/core/lookup/metered-lookup.ts';
import { AppError } from '../../src/messages/problems.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { okAnswer, startFrontEnd, type FrontEnd } from '../support/drivers/front-end.ts';
import { PATIENT_REDIS } from '../support/drivers/patience.ts';
import { atTime } from '../support/drivers/passing-time.ts';
import { RedisServer } from '../support/drivers/redis.ts';

const ASKED = { address: '1 Main St, Toronto, ON' };

/** A front end whose key has these limits. */
async function startLimited(limits: Partial<KeyLimits>, lookup?: () => Promise<typeof okAnswer>): Promise<FrontEnd> {
  const front = await startFrontEnd(lookup ? { lookup } : {});
  await setKey(front.store, front.keyId, { limits });
  return front;
}

async function outcome(reply: Promise<Response>) {
  const response = await reply;
  const { detail } = (await response.json()) as { readonly detail?: string };
  return { status: response.status, detail, headers: response.headers };
}

describe('Limits of a key', function () {
  this.timeout(240_000);

  it('hold its monthly budget, also for lookups that come together, and give the unit of the hour back', async () => {
    await using front = await startLimited({ budgetPerMonth: 5 });
    const statuses = await Promise.all(Array.from({ length: 12 }, async () => (await front.post(ASKED)).status));
    expect(statuses.filter((status) => status === 200)).to.have.length(5);
    expect(statuses.filter((status) => status === 429)).to.have.length(7);
    const { status, detail, headers } = await outcome(front.post(ASKED, { 'idempotency-key': 'k' }));
    expect([status, detail]).to.deep.equal([
      429,
      `this key has used its budget of 5 lookups for ${new Date().toISOString().slice(0, 7)} (UTC): the operator can raise it`,
    ]);
    expect(Number(headers.get('retry-after'))).to.be.within(1, 31 * 86_400);
    expect(headers.get('ratelimit')).to.contain('r=995;');
    await setKey(front.store, front.keyId, { limits: { budgetPerMonth: 6 } });
  });

  it('count only what is billed against the budget', async () => {
    let answer = (): Promise<typeof okAnswer> =>
      Promise.reject(new AppError('ADDRESS_NOT_FOUND', 'not there', { extras: { reason: 'STREET_NOT_FOUND' } }));
    await using front = await startLimited({ budgetPerMonth: 1 }, () => answer());
    for (let i = 0; i < 3; i++) expect((await front.post(ASKED)).status).to.equal(404);
    answer = () => Promise.resolve(okAnswer);
    expect((await front.post(ASKED)).status).to.equal(200);
    expect((await front.post(ASKED)).status).to.equal(429);
  });

  it('refuse with 403 from other networks', async () => {
    await using front = await startLimited({ networks: ['203.0.113.0/24'] });
    const { status, detail } = await outcome(front.post(ASKED));
    expect([status, detail]).to.deep.equal([403, 'this key may not be used from 127.0.0.1: its networks are limited']);
    await using own = await startLimited({ networks: ['203.0.113.0/24', '127.0.0.0/8'] });
    expect((await own.post(ASKED)).status).to.equal(200);
  });

  it('hold its lookups per second', async () => {
    await using front = await startLimited({ burstPerS: 3 });
    const replies = await Promise.all(Array.from({ length: 8 }, () => outcome(front.post(ASKED))));
    // At most two windows of a second.
    expect(replies.filter(({ status }) => status === 200).length).to.be.within(3, 6);
    const refused = replies.find(({ status }) => status === 429)!;
    expect(refused.detail).to.equal('this key may make 3 lookups per second');
    expect(refused.headers.get('retry-after')).to.equal('1');
  });

  it('hold its lookups at once', async () => {
    let finish = (): void => undefined;
    const held = new Promise<typeof okAnswer>((resolve) => {
      finish = () => {
        resolve(okAnswer);
      };
    });
    await using front = await startLimited({ inFlight: 2 }, () => held);
    const replies = Array.from({ length: 5 }, () => outcome(front.post(ASKED)));
    await Promise.race([
      Promise.all(replies.slice(0, 3)),
      Promise.all(replies.slice(2)),
      Promise.all([replies[0], replies[3]]),
    ]);
    finish();
    const statuses = (await Promise.all(replies)).map(({ status }) => status);
    expect(statuses.sort()).to.deep.equal([200, 200, 429, 429, 429]);
  });
});

describe('A monthly budget over two machines', function () {
  this.timeout(240_000);
  const key = { id: 'key_a', limits: { ...NO_LIMITS, budgetPerMonth: 10 } };

  it('is one, also after Redis has lost it, and each machine knows its own part while Redis is away', async () => {
    await using server = await RedisServer.start();
    const redis = connectRedis(server.url, () => undefined, PATIENT_REDIS.redisTimeoutMs);
    await whenReady(redis, 60_000);
    using folder = temporaryFolder();
    await using one = await Journal.openFile(`${folder.path}/one.sqlite`);
    await using two = await Journal.openFile(`${folder.path}/two.sqlite`);
    expect(one.id).to.not.equal(two.id);
    const budgets = [one, two].map((journal) => new Budget({ journalId: journal.id, redis }));

    /** Whether one more lookup was recorded at a machine. */
    async function record(machine: 0 | 1): Promise<boolean> {
      const budget = budgets[machine]!;
      const usage = { id: createLookupId(Date.now()), keyId: key.id, customer: null, atMs: Date.now() };
      const mostOfMonth = await budget.ownShareOf(key);
      const use = await [one, two][machine]!.do('record', { usage, answered: null, mostOfMonth });
      return budget.take(key, use).then(
        () => true,
        () => false,
      );
    }

    for (let i = 0; i < 4; i++) expect(await record(0)).to.equal(true);
    for (let i = 0; i < 3; i++) expect(await record(1)).to.equal(true);
    await redis.flushall();
    for (const machine of [0, 1] as const) expect(await record(machine)).to.equal(true);
    expect(await record(0), 'the tenth').to.equal(true);
    expect(await record(1), 'the eleventh').to.equal(false);
    expect(await record(0)).to.equal(false);
    expect(budgets.map((budget) => budget.refusalOf(key)?.code)).to.deep.equal(['RATE_LIMITED', 'RATE_LIMITED']);
    await server.kill();
    expect(await record(1), 'without Redis').to.equal(false);
    redis.disconnect();
  });

  it('begins a month without what other machines used of the last', async () => {
    await using server = await RedisServer.start();
    await using client = server.client();
    const { redis } = client;
    await using one = new Budget({ journalId: 'one', redis });
    await using two = new Budget({ journalId: 'two', redis });
    const end = Date.UTC(2026, 9, 31, 23, 59, 59, 990);
    await atTime(
      () => end,
      async () => {
        await two.note(key, { month: '2026-10', lookups: 10 });
        expect(await one.ownShareOf(key)).to.equal(0);
        // The journal records some milliseconds later.
        await one.note(key, { month: '2026-11', lookups: 0 });
      },
    );
    await atTime(
      () => Date.UTC(2026, 10, 1),
      async () => {
        expect(one.refusalOf(key)).to.be.null;
        expect(await one.ownShareOf(key)).to.equal(10);
      },
    );
  });
});
