/** `load-layers` killed in the middle of a package and of a layer of a service: `make stress NAME=import` asks more of it. */
import { expect } from 'chai';
import { join } from 'node:path';
import { loadLayers } from '../../src/import/load-layers.ts';
import { seededRandom } from '../../workers/verify/seeded-random.ts';
import { randomFaults } from '../support/doubles/arcgis/faults.ts';
import type { ServedLayer } from '../support/doubles/arcgis/layers.ts';
import { ArcgisServer } from '../support/doubles/arcgis/server.ts';
import { capturedOutput } from '../support/drivers/captured-output.ts';
import { FileHost } from '../support/doubles/file-server.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { inputs } from '../support/drivers/inputs.ts';
import { killedLoads } from '../support/drivers/killed-loads.ts';
import { definitionOf, writeDefinitions } from '../support/material/layer-definitions.ts';
import { packageZip, publishPackage } from '../support/doubles/packages.ts';
import { differingRows } from '../support/oracles/same-snapshots.ts';
import { geoJson, polygon, square, writeSources } from '../support/material/sources.ts';

const SERVICE = 'LIO_OPEN_DATA/LIO_Open01/MapServer';
const COUNT = 60;
const KILLS = inputs(3, 1);
const BALLAST_BYTES = 8_000_000;

const squares = Array.from({ length: COUNT }, (_, i) =>
  polygon([square(-80 + (i % 10) * 0.01, 44 + Math.floor(i / 10) * 0.01, 0.005)], { NAME: `area ${i}` }),
);

const served: ServedLayer = {
  ...{ service: SERVICE, id: 4, name: 'Areas', geometry: 'polygon', maxRecordCount: 4 },
  fields: [{ name: 'NAME', type: 'esriFieldTypeString' }],
  features: squares.map(({ geometry, properties }) => ({
    attributes: properties,
    geometry: geometry as ServedLayer['features'][number]['geometry'],
  })),
  editedMs: Date.UTC(2026, 9, 5),
};

describe('an import that is killed', function () {
  this.timeout(240_000);

  it('goes on in the middle of a package and of a layer, fetches no chunk twice, and ends as an import of files', async () => {
    using folder = temporaryFolder();
    await using server = await ArcgisServer.start([served]);
    await using host = await FileHost.start();
    const content = packageZip(folder.path, { layer: 'AREA', features: squares, ballastBytes: BALLAST_BYTES });
    publishPackage(host, 'AREAS', content, 'Mon, 05 Oct 2026 04:00:00 GMT');
    const layersDir = writeDefinitions(join(folder.path, 'layers'), definitions());
    const random = seededRandom(15);
    server.faults = randomFaults(random, 0.15, ['broken off', 'short page', 'empty page', 'status 503']);
    server.featuresMs = 200;
    host.bytesPerSecond = 1_500_000;
    host.cut = { afterBytes: BALLAST_BYTES / 24, times: 40 };

    const [killed, read] = [join(folder.path, 'killed'), join(folder.path, 'read')] as const;
    const onKill = () => undefined;
    const report = await killedLoads({ dataDir: killed, layersDir, server, host, kills: KILLS, random, onKill });
    expect(report.rows.map(({ fetchedAgain }) => fetchedAgain)).to.deep.equal(Array(KILLS).fill(0));
    expect(report.packageCuts).to.be.greaterThan(9);
    expect(report.packageShare).to.be.within(1, 1.05);

    const files = { 'areas.geojson': geoJson(squares) };
    const from = writeSources(
      join(folder.path, 'from'),
      { packed: { file: 'areas.geojson' }, queried: { file: 'areas.geojson' } },
      files,
    );
    const output = capturedOutput();
    expect(await loadLayers({ dataDir: read, layersDir }, { from }, output), output.text()).to.equal(0);
    for (const table of ['packed', 'queried']) expect(differingRows([killed, read], table)).to.deep.equal([]);
  });
});

/** One data set from a package, and one from a service. */
function definitions() {
  const fields = { NAME: { type: 'string', required: true } } as const;
  const service = { kind: 'arcgis', service: SERVICE, names: ['Areas'], layerIdHint: 4, confirmed: null } as const;
  const packaged = { kind: 'package', code: 'AREAS', layer: ['AREA'], confirmed: null } as const;
  return {
    packed: definitionOf({ geometry: 'polygon', fields, sources: [packaged, service] }),
    queried: definitionOf({ geometry: 'polygon', fields, sources: [service] }),
  };
}
