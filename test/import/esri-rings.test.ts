/** Layers whose server writes rings as no specification has them. */
import { expect } from 'chai';
import { join } from 'node:path';
import { loadLayers } from '../support/drivers/load-layers.ts';
import { currentSnapshot } from '../../src/core/snapshots/current.ts';
import type { ServedLayer } from '../support/doubles/arcgis/layers.ts';
import { ArcgisServer } from '../support/doubles/arcgis/server.ts';
import { capturedOutput } from '../support/drivers/captured-output.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { featuresAt } from '../support/drivers/import-run.ts';
import { definitionOf, writeDefinitions } from '../support/material/layer-definitions.ts';
import { square } from '../support/material/sources.ts';

const SERVICE = 'LIO_OPEN_DATA/LIO_Open03/MapServer';

const clockwise = (west: number, south: number, size: number) => square(west, south, size).toReversed();

/** Imports Esri geometries as the server sends them. */
async function imported(folder: string, geometries: readonly object[]) {
  const layer: ServedLayer = {
    ...{ service: SERVICE, id: 11, name: 'Areas', geometry: 'polygon' },
    fields: [{ name: 'NAME', type: 'esriFieldTypeString' }],
    features: geometries.map((geometry, i) => ({
      attributes: { NAME: `area ${i}` },
      geometry: geometry as ServedLayer['features'][number]['geometry'],
    })),
  };
  await using server = await ArcgisServer.start([layer]);
  const source = { kind: 'arcgis', service: SERVICE, names: ['Areas'], layerIdHint: 11, confirmed: null } as const;
  const fields = { NAME: { type: 'string', required: true } } as const;
  const layersDir = writeDefinitions(join(folder, 'layers'), {
    areas: definitionOf({ geometry: 'polygon', fields, sources: [source] }),
  });
  const dataDir = join(folder, 'data');
  const output = capturedOutput();
  if ((await loadLayers({ dataDir, layersDir }, { server: server.url }, output)) !== 0) throw new Error(output.text());
  return {
    record: currentSnapshot(dataDir)!.manifest.dataSets['areas']!,
    at: (lon: number, lat: number) => featuresAt(dataDir, 'areas', [lon, lat]),
  };
}

describe('import of rings from a server', function () {
  this.timeout(60_000);

  it('keeps a hole open where all rings go clockwise, and where all are turned round', async () => {
    using folder = temporaryFolder();
    const { record, at } = await imported(folder.path, [
      { rings: [clockwise(-78, 44, 0.9), clockwise(-77.6, 44.4, 0.2)] },
      { rings: [square(-80, 44, 0.9), clockwise(-79.6, 44.4, 0.2)] },
    ]);
    expect(record).to.include({ featureCount: 2, repaired: 0 });
    expect(at(-77.5, 44.5)).to.deep.equal([]);
    expect(at(-79.5, 44.5)).to.deep.equal([]);
    expect(at(-77.9, 44.1)).to.deep.equal([1]);
    expect(at(-79.9, 44.1)).to.deep.equal([2]);
  });

  it('leaves out a feature with a coordinate that is no number, and counts it', async () => {
    using folder = temporaryFolder();
    const hole = clockwise(-77.6, 44.4, 0.2).map((position, i) => (i === 1 ? ['NaN', position[1]] : position));
    const { record, at } = await imported(folder.path, [
      { rings: [clockwise(-78, 44, 0.9), hole] },
      ...Array.from({ length: 20 }, () => ({ rings: [clockwise(-80, 44, 0.9)] })),
    ]);
    expect(record.dropped).to.deep.equal({ 'a coordinate that is no number': 1 });
    expect(at(-77.5, 44.5)).to.deep.equal([]);
    expect(at(-79.9, 44.1)).to.have.length(20);
  });

  it('fails when more than a few features have one', async () => {
    using folder = temporaryFolder();
    const broken = { paths: [], rings: [[[-78, 44], [-78, 'NaN'], [-77, 44], [-78, 44]]] }; // prettier-ignore
    const failure = await imported(folder.path, [broken, { rings: [clockwise(-80, 44, 0.9)] }]).catch(String);
    expect(failure).to.contain('1 of 2 features have a coordinate that is no number');
  });
});
