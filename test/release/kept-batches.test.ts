/** Batches that earlier versions were answering when they were killed. */
import { expectGoesOn, keptVersions, unpackBatch } from '../support/oracles/kept-batches.ts';

describe('A batch that an earlier version left under way', function () {
  this.timeout(240_000);

  for (const version of keptVersions) {
    it(`${version}: goes on, and each row is answered and billed once`, async () => {
      using folder = unpackBatch(version, 'machine');
      await expectGoesOn(folder.path);
    });
  }
});
