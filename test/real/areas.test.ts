/** AREAS (60) areas over real extracts, against SpatiaLite on the feature tables. */
import { join } from 'node:path';
import { expect } from 'chai';
import { requireCurrentSnapshot } from '../../src/core/snapshots/current.ts';
import { cliOrThrow } from '../support/drivers/cli.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { realDataOrSkip } from '../support/material/shared-data.ts';
import { compareAreas } from './compare-areas.ts';

const AREAS = Number(process.env['AREAS'] ?? 60);
const SEED = 20261122;

describe('shares of areas', function () {
  this.timeout(1_800_000);
  const folder = temporaryFolder();
  after(() => {
    folder[Symbol.dispose]();
  });

  it(`are those that SpatiaLite finds in ${AREAS} areas over real extracts`, function () {
    const data = realDataOrSkip(this);
    cliOrThrow(folder.path, 'load-layers', '--from', join(data, 'sources'));
    const compared = compareAreas(requireCurrentSnapshot(folder.path).dir, AREAS, SEED);
    if (!compared) {
      console.log('skipped: no SpatiaLite for SQLite (libsqlite3-mod-spatialite)');
      this.skip();
    }
    expect(compared.differing).to.deep.equal([]);
    expect(compared.areas - compared.repaired).to.be.greaterThan(AREAS / 2);
  });
});
