/** That no end of a batch stays untold. */
import { expect } from 'chai';
import type { BatchStore } from '../../../src/features/batches/batch-store.ts';
import { EndedBatches } from '../../../src/features/batches/runner.ts';
import type { BatchJob } from '../../../src/features/batches/job.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/messages/time.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { atTime } from '../../support/drivers/passing-time.ts';
import { addBatch, openStore } from './machine-store.ts';

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
  const { id } = await addBatch(store, 1);
  await store.cancel(id);
  return id;
}

describe('The ends of batches', () => {
  describe('of a machine whose clock is wrong', () => {
    it('are told after it was set back, each once', async () => {
      using folder = temporaryFolder();
      await using store = openStore(folder.path, { nowMs: () => Date.now() });
      const told = new Told(store);
      const before = await ended(store);
      expect([await told.next(), await told.next()]).to.deep.equal([[before], []]);
      const setBack = <T>(ms: number, work: () => Promise<T>): Promise<T> => atTime((now) => now - HOUR_MS + ms, work);
      expect(await setBack(0, () => told.next())).to.be.empty;
      const after = await setBack(10_000, () => ended(store));
      told.faults = 1;
      const fault = await setBack(10_000, () => told.next().catch(String));
      expect(fault).to.contain('the disk is full');
      await setBack(10 * MINUTE_MS, async () => {
        expect([await told.next(), await told.next()]).to.deep.equal([[after], []]);
      });
    });
  });
});
