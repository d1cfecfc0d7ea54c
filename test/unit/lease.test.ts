/** The lease of a chunk is prolonged as long as somebody works on it. */
import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchChunk } from '../../src/batches/job.ts';
import { Lease } from '../../src/batches/lease.ts';
import { until } from '../support/drivers/patience.ts';

const EVERY_MS = 5;
const chunk = { index: 3 } as BatchChunk;

/** A store that says in turn whether the chunk is still the worker's; an error is thrown. */
function storeThatSays(...answers: (boolean | Error)[]) {
  const renewed: BatchChunk[] = [];
  return {
    renewed,
    renew: (one: BatchChunk): Promise<boolean> => {
      renewed.push(one);
      const answer = answers.shift() ?? true;
      return typeof answer === 'boolean' ? Promise.resolve(answer) : Promise.reject(answer);
    },
  };
}

describe('The lease of a chunk', function () {
  this.timeout(240_000);

  it('is prolonged again and again until the work ends, also after a renewal that failed', async () => {
    const store = storeThatSays(true, new Error('the disk is full'));
    {
      using lease = new Lease(store, chunk, EVERY_MS);
      await until(() => store.renewed.length >= 4);
      expect(lease.isLost).to.equal(false);
    }
    const { length } = store.renewed;
    await sleep(10 * EVERY_MS);
    expect(store.renewed.length).to.be.at.most(length + 1);
    expect(new Set(store.renewed)).to.deep.equal(new Set([chunk]));
  });

  it('is lost for good once another has the chunk', async () => {
    const store = storeThatSays(true, false, true);
    using lease = new Lease(store, chunk, EVERY_MS);
    expect(lease.isLost).to.equal(false);
    await until(() => store.renewed.length >= 4);
    expect(lease.isLost).to.equal(true);
  });
});
