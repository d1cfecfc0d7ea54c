import { expect } from 'chai';
import { seededRandom } from '../../../workers/verify/seeded-random.ts';
import { temporaryFolder } from '../../support/drivers/folder.ts';
import { drawPlaces, importProvinces } from './two-provinces.ts';
import { wrongChanges } from './wrong-changes.ts';

describe('two answers to one question', function () {
  this.timeout(240_000);

  it('differ by what was changed between two provinces, with its cause, and by nothing else', async () => {
    using folder = temporaryFolder();
    const random = seededRandom(278);
    const places = drawPlaces(150, random);
    const { wrong, counts } = wrongChanges(places, await importProvinces(folder.path, places, random));
    expect(wrong.slice(0, 5)).to.deep.equal([]);
    for (const change of ['none', 'appeared', 'disappeared', 'value', 'known', 'unknown'])
      expect(counts.get(change), change).to.be.above(10);
    for (const cause of ['address', 'definition', 'data']) expect(counts.get(cause), cause).to.be.above(10);
  });
});
