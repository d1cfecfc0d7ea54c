import { expect } from 'chai';
import { malformedLoad } from '../support/drivers/malformed-load.ts';

describe('Malformed requests over raw sockets', function () {
  this.timeout(240_000);

  it('get only errors of the table', async () => {
    const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000);
    console.log(`        FUZZ_SEED=${seed}`);
    const { faults, answers } = await malformedLoad({ requests: 1500, clients: 8, seed });
    expect(faults.slice(0, 5)).to.deep.equal([]);
    expect(answers).to.include.keys('200', '400 BAD_REQUEST', '401 UNAUTHORIZED', '404 NOT_FOUND');
  });
});
