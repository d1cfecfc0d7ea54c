/** An attempt that is stopped while others take over its claim: whatever they do, one lookup is billed. */
import { lookupLimit } from '../../src/core/limits/limit-words.ts';
import { expect } from 'chai';
import { connectRedis, whenReady, type RedisClient } from '../../src/core/stores/redis.ts';
import { AppError } from '../../src/messages/problems.ts';
import { key, LIMIT, MeteredMachine as Machine } from '../support/drivers/metered-machine.ts';
import { PATIENT_REDIS } from '../support/drivers/patience.ts';
import { RedisServer } from '../support/drivers/redis.ts';

const FAILURES = ['DB_ERROR', 'INTERNAL', 'RATE_LIMITED', 'BAD_REQUEST'] as const;

describe('An attempt that takes over a claim', function () {
  this.timeout(240_000);

  describe('in the journal', () => {
    for (const code of FAILURES) {
      it(`and fails with ${code} leaves the lookup id to the next`, async () => {
        await using first = await Machine.start();
        await using other = await first.startProcess();
        const goOn = await stopAtRecord(first);
        await takeOverAndFail(other, code);
        const { lookupId } = await other.ask('k');
        expect(await goOn()).to.equal(lookupId);
        expect(await first.billedIds()).to.deep.equal([lookupId]);
        expect((await other.ask('k')).lookupId).to.equal(null);
        expect(await other.spent(), 'by the last').to.equal(1);
      });
    }

    it('and fails lets no attempt begin without a unit', async () => {
      await using first = await Machine.start();
      await using other = await first.startProcess();
      await stopAtRecord(first);
      await takeOverAndFail(other, 'DB_ERROR');
      await isRefusedWithoutUnits(other);
    });
  });

  describe('in Redis', () => {
    let server: RedisServer;
    let redis: RedisClient;
    before(async () => {
      server = await RedisServer.start();
      redis = connectRedis(server.url, () => undefined, PATIENT_REDIS.redisTimeoutMs);
      await whenReady(redis, 60_000);
    });
    beforeEach(() => redis.flushall());
    after(async () => {
      redis.disconnect();
      await server[Symbol.asyncDispose]();
    });

    for (const code of FAILURES) {
      it(`and fails with ${code} leaves the lookup id to the next`, async () => {
        await using first = await Machine.start(redis);
        await using other = await Machine.start(redis);
        const goOn = await stopAtRecord(first);
        await takeOverAndFail(other, code);
        const { lookupId } = await other.ask('k');
        expect(await goOn()).to.equal(lookupId);
        expect([await first.billedIds(), await other.billedIds()]).to.deep.equal([[lookupId], [lookupId]]);
        expect((await other.ask('k')).lookupId).to.equal(null);
        expect(await other.spent(), 'by the first and by the last').to.equal(2);
      });
    }

    it('and fails leaves the lookup id to a machine that knew nothing of it', async () => {
      await using first = await Machine.start(redis);
      await using other = await Machine.start(redis);
      await using next = await Machine.start(redis);
      const goOn = await stopAtRecord(first);
      await takeOverAndFail(other, 'DB_ERROR');
      const { lookupId } = await next.ask('k');
      expect(await goOn()).to.equal(lookupId);
    });

    it('and fails leaves it although the first machine, asked again, still waits for its own', async () => {
      await using first = await Machine.start(redis);
      await using other = await Machine.start(redis);
      const goOn = await stopAtRecord(first);
      await takeOverAndFail(other, 'DB_ERROR');
      Object.assign(first, { attemptMs: Number.MAX_SAFE_INTEGER, deadlineMs: 500 });
      expect(await first.refusal('k')).to.have.property('reason', 'IN_PROGRESS');
      const { lookupId } = await other.ask('k');
      expect(await goOn()).to.equal(lookupId);
    });

    it('and fails lets no attempt begin without a unit', async () => {
      await using first = await Machine.start(redis);
      await using other = await Machine.start(redis);
      await stopAtRecord(first);
      await takeOverAndFail(other, 'DB_ERROR');
      await isRefusedWithoutUnits(other);
    });
  });
});

/** Makes a first attempt that stops between its lookup and its record. The function lets it go on, and returns its lookup id. */
async function stopAtRecord(machine: Machine): Promise<() => Promise<string | null>> {
  let release: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  let answer: ReturnType<Machine['ask']>;
  await new Promise<void>((resolve, reject) => {
    machine.beforeRecord = () => {
      resolve();
      return released;
    };
    answer = machine.ask('k');
    answer.catch(reject);
  });
  return async () => {
    release();
    return (await answer).lookupId;
  };
}

async function takeOverAndFail(machine: Machine, code: (typeof FAILURES)[number]): Promise<void> {
  const { calls, answer, beforeRecord, attemptMs } = machine;
  machine.attemptMs = -1;
  const fail = () => Promise.reject(new AppError(code, 'failed'));
  // A budget that is used up is found when the lookup is recorded.
  if (code === 'RATE_LIMITED') machine.beforeRecord = fail;
  else machine.answer = fail;
  expect(await machine.refusal('k')).to.have.property('code', code);
  expect(machine.calls).to.equal(calls + 1);
  Object.assign(machine, { answer, beforeRecord, attemptMs });
}

async function isRefusedWithoutUnits(machine: Machine): Promise<void> {
  const { calls, quotas } = machine;
  for (let i = await machine.spent(); i < LIMIT; i++) await quotas.of(lookupLimit).spend(key.id, LIMIT);
  expect(await machine.refusal('k')).to.have.property('code', 'RATE_LIMITED');
  expect(machine.calls).to.equal(calls);
}
