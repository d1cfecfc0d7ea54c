/** That no end of a batch stays untold. */
import { expect } from 'chai';
import type { BatchStore } from '../../src/batches/batch-store.ts';
import { EndedBatches } from '../../src/batches/ended-batches.ts';
import type { BatchJob } from '../../src/batches/job.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts';
import { addBatch } from '../support/oracles/batch-store-contract.ts';
import { BucketMachines } from '../support/drivers/bucket-machines.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { openStore } from './machine-store.ts';

const PREFIX = '{land-lookup:batches}:';
const takeOverMs = 10 * MINUTE_MS;

/** Tells the ends of a store, and remembers them. The next so many reports fail. */
class Told {
  faults = 0;
  #ids: string[] = [];
  readonly #ends: EndedBatches;

  constructor(store: BatchStore) {
    const logger = { info: () => undefined as never };
    const onEnded = (job: BatchJob): void => {
      this.#take(job);
    };
    this.#ends = new EndedBatches({ store, onEnded, logger, keptMs: 24 * HOUR_MS });
  }

  /** Ids of the batches that one call told. */
  async next(): Promise<readonly string[]> {
    this.#ids = [];
    await this.#ends.tell();
    return this.#ids;
  }

  #take({ id }: BatchJob): void {
    if (this.faults-- > 0) throw new Error('the disk is full');
    this.#ids.push(id);
  }
}

async function ended(store: BatchStore): Promise<string> {
  const { id } = await addBatch(store, { rows: 1 });
  await store.cancel(id);
  return id;
}

describe('The ends of batches', () => {
  describe('of a machine that is gone', () => {
    let machines: BucketMachines;
    let [gone, heir]: BatchStore[] = [];
    beforeEach(async () => {
      machines = await BucketMachines.start();
      [gone, heir] = [await machines.open('gone', { takeOverMs }), await machines.open('heir', { takeOverMs })];
    });
    afterEach(() => machines[Symbol.asyncDispose]());

    /** As if a machine had last been heard of then. */
    async function heard(machine: string, ms: number): Promise<void> {
      await using client = machines.redis.client();
      await client.redis.zadd(`${PREFIX}machines`, ms, machine);
    }

    /** As if a batch had ended then. */
    async function endedAt(id: string, ms: number): Promise<void> {
      await using client = machines.redis.client();
      await client.redis.zadd(`${PREFIX}ended`, ms, id);
      await client.redis.hset(`${PREFIX}job:${id}`, 'endedAt', new Date(ms).toISOString());
    }

    for (const [what, awayMs] of [
      ['', 0],
      [', also when it could not ask for an hour', HOUR_MS],
    ] as const) {
      it(`are told by a machine that told later ones meanwhile${what}`, async () => {
        const told = new Told(heir!);
        const [earlier, last] = [await ended(gone!), await ended(gone!)];
        await gone!.ended(new Date().toISOString());
        const own = await ended(heir!);
        expect(await told.next()).to.deep.equal([own]);
        const goneMs = Date.now() - awayMs - takeOverMs + (awayMs > 0 ? MINUTE_MS : -1);
        await heard('gone', goneMs);
        await heard('heir', Date.now() - awayMs);
        await endedAt(earlier, goneMs - 2 * MINUTE_MS);
        await endedAt(last, goneMs - 30_000);
        told.faults = 1;
        expect(await told.next().catch(String)).to.contain('the disk is full');
        expect([await told.next(), await told.next()]).to.deep.equal([[last], []]);
        expect(await new Told(gone!).next()).to.deep.equal([earlier]);
        expect(await heir!.find(last)).to.include({ endedAt: new Date(goneMs - 30_000).toISOString() });
      });
    }

    it('are told by a third machine when the second is gone too', async () => {
      const [told, last] = [new Told(heir!), await ended(gone!)];
      await gone!.ended(new Date().toISOString());
      const own = await ended(heir!);
      expect(await told.next()).to.deep.equal([own]);
      const goneMs = Date.now() - takeOverMs - 1;
      await heard('gone', goneMs);
      await endedAt(last, goneMs - 30_000);
      told.faults = 1;
      expect(await told.next().catch(String)).to.contain('the disk is full');
      const third = new Told(await machines.open('third', { takeOverMs: 1 }));
      expect((await third.next()).toSorted()).to.deep.equal([own, last].toSorted());
    });
  });

  describe('of a machine whose clock is wrong', () => {
    const now = Date.now;
    afterEach(() => {
      Date.now = now;
    });

    for (const [what, aheadMs] of [
      ['ahead of', HOUR_MS],
      ['behind', -HOUR_MS],
    ] as const) {
      it(`are told when it is an hour ${what} that of Redis`, async () => {
        await using machines = await BucketMachines.start();
        Date.now = () => now() + aheadMs;
        const store = await machines.open('one');
        const told = new Told(store);
        expect(await told.next()).to.be.empty;
        const own = await ended(store);
        expect([await told.next(), await told.next()]).to.deep.equal([[own], []]);
      });
    }

    it('are told after it was set back, each once', async () => {
      using folder = temporaryFolder();
      await using store = openStore(folder.path, { nowMs: () => Date.now() });
      const told = new Told(store);
      const before = await ended(store);
      expect([await told.next(), await told.next()]).to.deep.equal([[before], []]);
      const set = (ms: number): void => {
        Date.now = () => now() - HOUR_MS + ms;
      };
      set(0);
      expect(await told.next()).to.be.empty;
      set(10_000);
      const after = await ended(store);
      told.faults = 1;
      expect(await told.next().catch(String)).to.contain('the disk is full');
      set(10 * MINUTE_MS);
      expect([await told.next(), await told.next()]).to.deep.equal([[after], []]);
    });
  });
});
