import { expect } from 'chai';
import { join } from 'node:path';
import { loadLayers } from '../../src/commands/load-layers.ts';
import { readConfig } from '../../src/config.ts';
import { currentSnapshot } from '../../src/snapshots/current.ts';
import { capturedOutput } from '../support/captured-output.ts';
import { temporaryFolder } from '../support/folder.ts';
import { realDataOrSkip } from '../support/shared-data.ts';

describe('import commands over real extracts', function () {
  this.timeout(240_000);

  it('import the bundled sample and every real extract', async function () {
    using folder = temporaryFolder();
    const config = { dataDir: join(folder.path, 'data'), layersDir: readConfig({}).layersDir };
    expect(await loadLayers(config, { sample: true }, capturedOutput())).to.equal(0);
    expect(currentSnapshot(config.dataDir)?.manifest.sample).to.equal(true);

    const from = join(realDataOrSkip(this), 'sources');
    const output = capturedOutput();
    expect(await loadLayers(config, { from }, output), output.text()).to.equal(0);
    const { sample, dataSets } = currentSnapshot(config.dataDir)!.manifest;
    expect(sample).to.equal(false);
    // 3 of the 583 polygons are invalid, by the description of the extract.
    expect(dataSets['orm_land_use']).to.include({ featureCount: 583, repaired: 3 });
    expect(dataSets['built_up_area']).to.include({ featureCount: 122, coverage: 'area', asOf: '2020-01-01' });
    expect(dataSets['ohn_waterbody']?.featureCount).to.equal(204);
    expect(dataSets['greenbelt']).to.include({ featureCount: 90, asOfFrom: 'source manifest' });
  });
});
