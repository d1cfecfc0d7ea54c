/** A batch that the version before left under way. `test/release/kept-batches.test.ts` goes on with those of all versions, also in a bucket. */
import { expectGoesOn, keptVersions, unpackBatch } from '../support/oracles/kept-batches.ts';

const version = keptVersions.at(-1)!;

describe('A batch that an earlier version left under way', function () {
  this.timeout(240_000);

  it(`${version}, in files: goes on, and each row is answered and billed once`, async () => {
    using folder = unpackBatch(version, 'machine');
    await expectGoesOn(folder.path);
  });
});
