import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectRedis, whenReady, type RedisClient } from '../../src/core/stores/redis.ts';
import { Journal } from '../../src/core/usage/journal.ts';
import { AppError, unavailable } from '../../src/messages/problems.ts';
import { HOUR_MS } from '../../src/messages/time.ts';
import { okAnswer, startFrontEnd } from '../support/drivers/front-end.ts';
import { key, LIMIT, MeteredMachine as Machine } from '../support/drivers/metered-machine.ts';
import { PATIENT_REDIS } from '../support/drivers/patience.ts';
import { atTime } from '../support/drivers/passing-time.ts';
import { RedisServer } from '../support/drivers/redis.ts';

/** Of a plain lookup of the address "a". */
const HASH = createHash('sha256')
  .update(JSON.stringify(['a', false, null]))
  .digest('hex');

describe('Idempotency-Key', function () {
  this.timeout(240_000);

  it('gives a retry the same answer, counted, looked up and billed once', async () => {
    await using machine = await Machine.start();
    const first = await machine.ask('k');
    expect(first.lookupId).to.match(/^lkp_/);
    for (let i = 0; i < 5; i++) expect(await machine.ask('k')).to.deep.equal({ json: first.json, lookupId: null });
    expect([machine.calls, await machine.billed(), await machine.spent()]).to.deep.equal([1, 1, 1]);
    await machine.ask(null);
    await machine.ask(null);
    expect([machine.calls, await machine.billed(), await machine.spent()], 'without it').to.deep.equal([3, 3, 3]);
  });

  it('refuses another request under the same key, whatever differs', async () => {
    await using machine = await Machine.start();
    await machine.ask('k', 'a', { full: true });
    for (const [address, detail] of [
      ['b', { full: true }],
      ['a', { full: false }],
      ['a', { full: true, geometry: 'near' }],
    ] as const) {
      expect(await machine.refusal('k', address, detail)).to.have.property('code', 'BAD_REQUEST');
    }
    expect((await machine.ask('k', 'a', { full: true })).lookupId).to.equal(null);
    expect(
      (await machine.ask('k', 'b', { full: true }, { ...key, id: 'key_b' })).lookupId,
      'of another client',
    ).to.be.a('string');
  });

  it('has requests that come together make one lookup', async () => {
    await using machine = await Machine.start();
    machine.answer = () => sleep(100, okAnswer);
    const answers = await Promise.all(Array.from({ length: 20 }, () => machine.ask('k')));
    expect(answers.filter(({ lookupId }) => lookupId !== null)).to.have.length(1);
    expect([machine.calls, await machine.billed(), await machine.spent()]).to.deep.equal([1, 1, 1]);
  });

  it('repeats "not found", and makes a new attempt after a failure of ours', async () => {
    await using machine = await Machine.start();
    machine.answer = () => Promise.reject(unavailable('TOO_LATE', 'lost'));
    for (let i = 0; i < 2; i++) expect(await machine.refusal('k')).to.have.property('code', 'DB_ERROR');
    expect([machine.calls, await machine.spent()], 'given back').to.deep.equal([2, 0]);
    const extras = { reason: 'no street', suggestions: ['b'] };
    machine.answer = () => Promise.reject(new AppError('ADDRESS_NOT_FOUND', 'not there', { extras }));
    for (let i = 0; i < 3; i++) {
      expect(await machine.refusal('k')).to.deep.include({ code: 'ADDRESS_NOT_FOUND', message: 'not there', extras });
    }
    expect([machine.calls, await machine.spent(), await machine.billed()]).to.deep.equal([3, 1, 0]);
  });

  it('takes over what was lost with its process, under the same id', async () => {
    await using machine = await Machine.start();
    const claimed = await claimOfLostProcess(machine);
    const { lookupId } = await machine.ask('k');
    expect(lookupId).to.equal(claimed);
    expect(await machine.spent(), 'the lost attempt has spent it').to.equal(0);
    expect(await machine.billed()).to.equal(1);
  });

  describe('over two machines with one Redis', () => {
    let server: RedisServer;
    before(async () => {
      server = await RedisServer.start();
    });
    after(() => server[Symbol.asyncDispose]());

    async function connect(): Promise<RedisClient> {
      const redis = connectRedis(server.url, () => undefined, PATIENT_REDIS.redisTimeoutMs);
      await whenReady(redis, 60_000);
      return redis;
    }

    it('is one request, also when both are asked at once', async () => {
      const connections = [await connect(), await connect()] as const;
      await using one = await Machine.start(connections[0]);
      await using two = await Machine.start(connections[1]);
      one.answer = two.answer = () => sleep(50, okAnswer);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? one : two).ask('together')),
      );
      expect(answers.filter(({ lookupId }) => lookupId !== null)).to.have.length(1);
      expect((await two.ask('together')).lookupId, 'looked up again, and not counted').to.equal(null);
      expect(await two.refusal('together', 'b')).to.have.property('code', 'BAD_REQUEST');
      expect([await one.spent(), (await one.billed()) + (await two.billed())]).to.deep.equal([1, 1]);
      for (const redis of connections) redis.disconnect();
    });

    it('is billed once when it was refused, and two other machines find the address', async () => {
      const redis = await connect();
      await using one = await Machine.start(redis);
      await using two = await Machine.start(redis);
      await using three = await Machine.start(redis);
      const spent = await one.spent();
      one.answer = notThere;
      expect(await one.refusal('refused')).to.have.property('code', 'ADDRESS_NOT_FOUND');
      two.answer = three.answer = () => sleep(50, okAnswer);
      const answers = await Promise.all([two, three, two, three].map((machine) => machine.ask('refused')));
      expect(answers.filter(({ lookupId }) => lookupId !== null)).to.have.length(1);
      expect(await one.refusal('refused'), 'as before').to.have.property('code', 'ADDRESS_NOT_FOUND');
      for (const machine of [two, three]) expect((await machine.ask('refused')).lookupId).to.equal(null);
      expect(await two.refusal('refused', 'b')).to.have.property('code', 'BAD_REQUEST');
      const billed = [await one.billed(), (await two.billed()) + (await three.billed())];
      expect([await one.spent(), ...billed]).to.deep.equal([spent + 1, 0, 1]);
      redis.disconnect();
    });

    it('stays refused, and spends no second unit, while other machines refuse it or fail', async () => {
      const redis = await connect();
      await using one = await Machine.start(redis);
      await using two = await Machine.start(redis);
      await using three = await Machine.start(redis);
      const spent = await one.spent();
      one.answer = two.answer = notThere;
      await one.refusal('stays');
      for (let i = 0; i < 2; i++) expect(await two.refusal('stays')).to.have.property('code', 'ADDRESS_NOT_FOUND');
      expect(two.calls, 'kept').to.equal(1);
      for (let i = spent + 1; i < LIMIT; i++) await one.quotas.of('lookups').spend(key.id, LIMIT);
      three.answer = () => Promise.reject(unavailable('TOO_LATE', 'lost'));
      for (let i = 0; i < 2; i++) expect(await three.refusal('stays')).to.have.property('code', 'DB_ERROR');
      three.answer = () => Promise.resolve(okAnswer);
      expect((await three.ask('stays')).lookupId).to.be.a('string');
      expect([three.calls, await three.billed(), await one.spent()]).to.deep.equal([3, 1, LIMIT]);
      // The next test has its units again.
      await redis.flushall();
      redis.disconnect();
    });

    it('lets an attempt end only its own claim', async () => {
      const redis = await connect();
      await using one = await Machine.start(redis);
      await using two = await Machine.start(redis);
      const [lost, next] = [attempt('own', 'lkp_lost'), attempt('own', 'lkp_next')];
      await one.idempotency.claim(lost, { ...NOW, lookupId: 'lkp_lost' });
      const resumed = await two.idempotency.claim(next, { ...NOW, attemptMs: -1 });
      expect(resumed).to.deep.equal({ kind: 'resumed', lookupId: 'lkp_lost' });
      await one.idempotency.abandon(lost);
      const third = attempt('own', 'lkp_3');
      expect(await one.idempotency.claim(third, { ...NOW, attemptMs: HOUR_MS })).to.have.property('kind', 'under way');
      await two.idempotency.abandon(next);
      expect(await one.idempotency.claim(third, { ...NOW, mayBegin: false })).to.have.property('kind', 'not begun');
      redis.disconnect();
    });

    it('waits for the first attempt although the clocks of the machines differ', async () => {
      const redis = await connect();
      await using one = await Machine.start(redis);
      await using two = await Machine.start(redis, (dataDir) => Journal.open({ dataDir }));
      const options = { lookupId: 'lkp_1', mayBegin: true, attemptMs: HOUR_MS };
      await one.idempotency.claim(attempt('clocks', 'lkp_1'), options);
      const claim = () => two.idempotency.claim(attempt('clocks', 'lkp_2'), options);
      expect(await atTime((now) => now + 2 * HOUR_MS, claim)).to.deep.equal({ kind: 'under way' });
      redis.disconnect();
    });

    it('is billed under one id when the thread of the journal is lost right after its commit', async () => {
      const redis = await connect();
      await using one = await Machine.start(redis);
      await using two = await Machine.start(redis);
      const spent = await one.spent();
      one.afterRecord = () => Promise.reject(unavailable('INTERRUPTED', 'the thread was lost'));
      expect(await one.refusal('lost')).to.have.property('reason', 'INTERRUPTED');
      const { lookupId } = await two.ask('lost');
      expect([await one.billedIds(), await two.billedIds()]).to.deep.equal([[lookupId], [lookupId]]);
      expect((await one.ask('lost')).lookupId).to.equal(null);
      expect(await one.spent(), 'by the second').to.equal(spent + 1);
      redis.disconnect();
    });

    it('is known to all again when Redis forgot it and the machine that answered is asked again', async () => {
      const redis = await connect();
      await using one = await Machine.start(redis);
      await using two = await Machine.start(redis);
      await one.ask('forgotten');
      await redis.flushall();
      expect((await one.ask('forgotten')).lookupId).to.equal(null);
      expect((await two.ask('forgotten')).lookupId).to.equal(null);
      expect(await two.billed()).to.equal(0);
      redis.disconnect();
    });

    it('holds on each of them while Redis is away', async () => {
      const redis = await connect();
      await using machine = await Machine.start(redis);
      await machine.ask('before');
      await server.kill();
      const first = await machine.ask('k');
      expect(await machine.ask('k')).to.deep.equal({ json: first.json, lookupId: null });
      expect((await machine.ask('before')).lookupId).to.equal(null);
      await server.start();
      await whenReady(redis, 60_000);
      expect((await machine.ask('k')).lookupId, 'Redis is back, and knows nothing').to.equal(null);
      expect([machine.calls, await machine.billed()]).to.deep.equal([2, 2]);
      redis.disconnect();
    });
  });

  it('writes no claim for a key that has no lookup left, and still repeats its answers', async () => {
    await using machine = await Machine.start();
    await machine.ask('k');
    for (let i = 1; i < LIMIT; i++) await machine.quotas.of('lookups').spend(key.id, LIMIT);
    const refused = await machine.refusal('new');
    expect(refused.code).to.equal('RATE_LIMITED');
    expect(Number(refused.headers['Retry-After'])).to.be.within(3000, 3600);
    expect((await machine.ask('k')).lookupId).to.equal(null);
    expect(await machine.idempotency.claim(attempt('new', 'lkp_x'), { ...NOW, mayBegin: false })).to.deep.equal({
      kind: 'not begun',
    });
  });

  it('repeats answers five times as often as the key may ask, and then refuses', async () => {
    await using machine = await Machine.start();
    await machine.ask('k');
    for (let i = 0; i < 5 * LIMIT; i++) await machine.ask('k');
    expect(await machine.refusal('k')).to.include({
      ...{ code: 'RATE_LIMITED', message: `this key may get ${5 * LIMIT} repeated answers per hour` },
    });
    expect((await machine.ask('other')).lookupId, 'lookups are counted apart').to.be.a('string');
  });

  it('lets an attempt end only its own claim', async () => {
    await using machine = await Machine.start();
    const { idempotency } = machine;
    const [lost, next] = [attempt('k', 'lkp_lost'), attempt('k', 'lkp_next')];
    expect(await idempotency.claim(lost, { ...NOW, lookupId: 'lkp_lost', nowMs: NOW.nowMs - 60_000 })).to.have.property(
      'kind',
      'new',
    );
    expect(await idempotency.claim(next, NOW)).to.deep.equal({ kind: 'resumed', lookupId: 'lkp_lost' });
    await idempotency.abandon(lost);
    expect(await idempotency.claim(attempt('k', 'lkp_3'), NOW)).to.have.property('kind', 'under way');
    await idempotency.abandon(next);
    expect(await idempotency.claim(attempt('k', 'lkp_3'), NOW)).to.deep.equal({ kind: 'new', lookupId: 'lkp_lost' });
  });

  it('says so in the headers, and refuses what is no key', async () => {
    await using front = await startFrontEnd();
    const ask = (idempotencyKey: string) =>
      front.post({ address: '1 Main St, Toronto, ON' }, { 'idempotency-key': idempotencyKey });
    const [first, again] = [await ask('k'), await ask('k')];
    expect([first.headers.get('lookup-id') !== null, first.headers.get('idempotent-replayed')]).to.deep.equal([
      true,
      null,
    ]);
    expect([again.headers.get('lookup-id'), again.headers.get('idempotent-replayed')]).to.deep.equal([null, 'true']);
    expect(await again.text()).to.equal(await first.text());
    expect(again.headers.get('ratelimit')).to.contain('r=999;');
    for (const bad of ['', 'a b', 'x'.repeat(256), 'é']) expect((await ask(bad)).status, bad).to.equal(400);
  });
});

const notThere = () => Promise.reject(new AppError('ADDRESS_NOT_FOUND', 'not there'));

const NOW = { lookupId: 'lkp_new', mayBegin: true, nowMs: Date.now(), attemptMs: 1000 };

function attempt(idempotencyKey: string, attemptId: string) {
  return { keyId: key.id, idempotencyKey, requestHash: HASH, attemptId };
}

/** Claims as a process does that is killed before its lookup ends, long enough ago. */
async function claimOfLostProcess({ idempotency }: Machine): Promise<string> {
  const lookupId = 'lkp_00000000000000000000000000000001';
  const claim = await idempotency.claim(attempt('k', lookupId), { ...NOW, lookupId, nowMs: Date.now() - HOUR_MS });
  if (claim.kind !== 'new') throw new Error(claim.kind);
  return claim.lookupId;
}
