import { expect } from 'chai';
import { redisFaultLoad } from '../support/redis-fault-load.ts';

/** The delay that a fault may add, with room for a busy machine. */
const MOST_ADDED_MS = 400;

describe('A serving process whose Redis fails', function () {
  this.timeout(240_000);

  it('answers every request in time, killed, frozen, paused or full, and shares limits again without a restart', async () => {
    const [undisturbed, ...disturbed] = await redisFaultLoad({ faultMs: 1000, clients: 4 });
    expect(disturbed).to.have.length(5);
    for (const { fault, statuses, p99Ms, requests } of [undisturbed!, ...disturbed]) {
      expect(statuses, fault).to.deep.equal({ 200: requests });
      expect(p99Ms, fault).to.be.lessThan(undisturbed!.p99Ms + MOST_ADDED_MS);
    }
  });
});
