/** The lease of a chunk is prolonged as long as somebody works on it. */
import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchChunk } from '../../src/features/batches/job.ts';
import { Lease } from '../../src/features/batches/chunk-work.ts';

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

/** Far more pauses than it takes, each of which lets the timers of the lease run: a lease that is never prolonged fails and does not hang. */
const MOST_PAUSES = 2000;

async function untilRenewed(store: ReturnType<typeof storeThatSays>, times: number): Promise<void> {
  for (let pauses = 0; pauses < MOST_PAUSES && store.renewed.length < times; pauses++) await sleep(EVERY_MS);
  expect(store.renewed.length, 'is it prolonged?').to.be.at.least(times);
}

describe('The lease of a chunk', function () {
  this.timeout(240_000);

  it('is prolonged again and again until the work ends, also after a renewal that failed', async () => {
    const store = storeThatSays(true, new Error('the disk is full'));
    {
      using lease = new Lease(store, chunk, EVERY_MS);
      await untilRenewed(store, 4);
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
    await untilRenewed(store, 4);
    expect(lease.isLost).to.equal(true);
  });
});
