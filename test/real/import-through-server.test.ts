/** The real extracts through a server that fails in every way, against an import of the same files. */
import { expect } from 'chai';
import { join } from 'node:path';
import { readCatalogue } from '../../src/catalogue/read/read-definitions.ts';
import { loadLayers } from '../support/drivers/load-layers.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { currentSnapshot } from '../../src/core/snapshots/current.ts';
import { twofoldSources } from '../support/doubles/arcgis/extracts.ts';
import { faultKinds, randomFaults } from '../support/doubles/arcgis/faults.ts';
import { ArcgisServer } from '../support/doubles/arcgis/server.ts';
import { capturedOutput } from '../support/drivers/captured-output.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { definitionsWithAddresses } from '../support/material/layer-definitions.ts';
import { differingAnswers, differingRows, placesNear, tablesOf } from '../support/oracles/same-snapshots.ts';
import { realDataOrSkip } from '../support/material/shared-data.ts';

const SEED = 20261121;
/** `make stress NAME=import` asks more of them. */
const PLACES = 1000;

/** Quick enough for tests: a fault costs milliseconds. */
const patience = { retry: { attempts: 30, firstMs: 5, mostMs: 100 }, idleMs: 1000 };

describe('an import through an unwell server', function () {
  this.timeout(600_000);

  it('gives the same rows and answers as an import of the files', async function () {
    const extracts = join(realDataOrSkip(this), 'sources');
    using folder = temporaryFolder();
    await using server = await ArcgisServer.start([]);
    const layersDir = definitionsWithAddresses(join(folder.path, 'layers'), server.url);
    const { layers, folder: from, real } = twofoldSources(readCatalogue(layersDir), extracts, folder.path);
    server.layers = layers;
    const random = seededRandom(SEED);
    server.faults = randomFaults(random, 0.15, faultKinds);

    const [served, read] = [join(folder.path, 'served'), join(folder.path, 'read')] as const;
    const output = capturedOutput();
    const loading = loadLayers({ dataDir: served, layersDir }, { server: server.url, ...patience }, output);
    await server.requested(300);
    await server.restart(300);
    expect(await loading, output.text()).to.equal(0);
    expect(await loadLayers({ dataDir: read, layersDir }, { from }, output), output.text()).to.equal(0);

    expect(tablesOf(served)).to.have.members(tablesOf(read)).and.to.include.members(real);
    expect(asOf(served)).to.deep.equal(asOf(read));
    expectNone(tablesOf(served).flatMap((table) => differingRows([served, read], table)));
    expectNone(differingAnswers([served, read], placesNear(layers, PLACES, random)));
  });
});

function expectNone(differences: readonly string[]): void {
  expect(differences.length, [`SEED ${SEED}`, ...differences.slice(0, 20)].join('\n')).to.equal(0);
}

function asOf(dataDir: string): object {
  const { dataSets } = currentSnapshot(dataDir)!.manifest;
  return Object.fromEntries(Object.entries(dataSets).map(([id, record]) => [id, record.asOf]));
}
