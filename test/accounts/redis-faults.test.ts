import { expect } from 'chai';
import { redisFaultLoad } from '../support/drivers/redis-fault-load.ts';

/** How long an answer takes meanwhile is measured by `make stress NAME=redis-faults`. */
describe('A serving process whose Redis fails', function () {
  this.timeout(240_000);

  it('answers every request, killed, frozen, paused or full, and shares limits again without a restart', async () => {
    const [undisturbed, ...disturbed] = await redisFaultLoad({ faultMs: 500, clients: 2 });
    expect(disturbed).to.have.length(5);
    for (const { fault, statuses, requests } of [undisturbed!, ...disturbed])
      expect(statuses, fault).to.deep.equal({ 200: requests });
  });
});
