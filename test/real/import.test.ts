import { expect } from 'chai';
import { readableSnapshots } from '../../src/core/snapshots/current.ts';
import { realDataDir } from '../support/material/real-data.ts';
import { realDataOrSkip } from '../support/material/shared-data.ts';

describe('import commands over real extracts', function () {
  this.timeout(600_000);

  it('import the bundled sample and every real extract', function () {
    const snapshots = readableSnapshots(realDataDir(realDataOrSkip(this))).reverse();
    expect(snapshots.map(({ manifest }) => [manifest.sample, manifest.gazetteer !== null])).to.deep.equal([
      [true, false],
      [false, false],
      [false, true],
    ]);
    const { dataSets } = snapshots[1]!.manifest;
    // 3 of the 583 polygons are invalid, by the description of the extract.
    expect(dataSets['orm_land_use']).to.include({ featureCount: 583, repaired: 3 });
    expect(dataSets['built_up_area']).to.include({ featureCount: 122, coverage: 'area', asOf: '2020-01-01' });
    expect(dataSets['ohn_waterbody']?.featureCount).to.equal(204);
    expect(dataSets['greenbelt']).to.include({ featureCount: 90, asOfFrom: 'source manifest' });
  });
});
