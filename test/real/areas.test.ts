/** AREAS (60) areas over real extracts, against SpatiaLite on the feature tables. */
import { expect } from 'chai';
import { requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import { realDataDir } from '../support/material/real-data.ts';
import { realDataOrSkip } from '../support/material/shared-data.ts';
import { compareAreas } from './compare-areas.ts';

const AREAS = Number(process.env['AREAS'] ?? 60);
const SEED = 20261122;

describe('shares of areas', function () {
  this.timeout(1_800_000);

  it(`are those that SpatiaLite finds in ${AREAS} areas over real extracts`, function () {
    const { dir } = requireCurrentSnapshot(realDataDir(realDataOrSkip(this)));
    const compared = compareAreas(dir, AREAS, SEED);
    if (!compared) {
      console.log('skipped: no SpatiaLite for SQLite (libsqlite3-mod-spatialite)');
      this.skip();
    }
    expect(compared.differing).to.deep.equal([]);
    expect(compared.areas - compared.repaired).to.be.greaterThan(AREAS / 2);
  });
});
