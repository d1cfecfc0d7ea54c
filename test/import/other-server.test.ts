/** An import from an ArcGIS-compatible server that is not this project's: Koop. */
import { expect } from 'chai';
import { join } from 'node:path';
import { loadLayers } from '../support/drivers/load-layers.ts';
import { currentSnapshot } from '../../src/core/snapshots/current.ts';
import { gdal } from '../../workers/geopackage/gdal.ts';
import { capturedOutput } from '../support/drivers/captured-output.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { startKoop, type KoopLayer } from '../support/doubles/koop-server.ts';
import { definitionOf, writeDefinitions } from '../support/material/layer-definitions.ts';
import { square } from '../support/material/sources.ts';

const COUNT = 25;

const parks: KoopLayer = {
  service: 'parks/FeatureServer',
  metadata: { id: 0, name: 'Parks', idField: 'ID', geometryType: 'Polygon', maxRecordCount: 10 },
  features: Array.from({ length: COUNT }, (_, i) => ({
    type: 'Feature',
    properties: { ID: i + 1, NAME: `park ${i + 1}`, KIND: i < 20 ? 'City Park' : 'Car Park' },
    // With a lake in each.
    geometry: {
      type: 'Polygon',
      coordinates: [square(-80 + i * 0.02, 44, 0.01), square(-79.998 + i * 0.02, 44.002, 0.005)],
    },
  })),
};

const SHORE = [-79.999, 44.001] as const;
const LAKE = [-79.995, 44.005] as const;

describe('an import from another ArcGIS-compatible server', function () {
  this.timeout(240_000);

  it('gets all features with their attributes and holes', async () => {
    using folder = temporaryFolder();
    await using server = await startKoop([parks]);
    const layersDir = writeDefinitions(join(folder.path, 'layers'), {
      parks: definitionOf({
        geometry: 'polygon',
        fields: { NAME: { type: 'string', required: true } },
        sources: [
          { kind: 'arcgis', service: 'parks/FeatureServer', names: ['Parks'], layerIdHint: 0, confirmed: null },
        ],
      }),
    });
    const config = { dataDir: join(folder.path, 'data'), layersDir };
    const output = capturedOutput();
    const retry = { attempts: 2, firstMs: 1, mostMs: 1 };
    expect(await loadLayers(config, { server: server.url, retry }, output), output.text()).to.equal(0);
    const dataset = gdal.open(join(currentSnapshot(config.dataDir)!.dir, 'land.gpkg'), 'r', ['GPKG']);
    const stored = dataset.layers.get('parks').features.map((feature) => ({
      name: feature.fields.get('NAME') as string,
      rings: (
        feature.getGeometry() as unknown as { children: { get: (i: number) => { rings: { count: () => number } } } }
      ).children
        .get(0)
        .rings.count(),
    }));
    dataset.close();
    expect(stored.map(({ name }) => name)).to.have.members(parks.features.map(({ properties }) => properties['NAME']));
    expect(stored.map(({ rings }) => rings)).to.deep.equal(Array.from({ length: COUNT }, () => 2));
  });

  it('is checked beforehand: its fields, its words, and what it finds on the shore and in the lake', async () => {
    using folder = temporaryFolder();
    await using server = await startKoop([parks]);
    const part = (kind: string, inside: typeof SHORE | typeof LAKE, outside: typeof SHORE | typeof LAKE) => ({
      ...{ publisher: 'The town', kind, server: server.url, service: 'parks/FeatureServer', names: ['Parks'] },
      ...{ layerIdHint: 0, licence: { id: 'a licence', url: null }, attribution: 'Theirs', coverage: 'positive_only' },
      ...{ control: { inside: [inside], outside: [outside], confirmed: null }, use: true },
    });
    const layersDir = writeDefinitions(join(folder.path, 'layers'), {
      parks: {
        ...definitionOf({ geometry: 'polygon', coverage: 'features' }),
        fields: { KIND: { type: 'string', required: true }, OWNER: { type: 'string', required: false } },
        counts: [{ field: 'KIND', yes: ['City Park'] }],
        sources: [
          {
            ...{ kind: 'composite', accepts: ['dry', 'wet'], confirmed: null },
            parts: [part('dry', SHORE, LAKE), part('wet', LAKE, SHORE)],
          },
        ],
      },
    });
    const output = capturedOutput();
    const retry = { attempts: 2, firstMs: 1, mostMs: 1 };
    const config = { dataDir: join(folder.path, 'data'), layersDir };
    expect(await loadLayers(config, { check: true, server: server.url, retry }, output), output.text()).to.equal(2);
    expect(output.text()).to.match(/^parks +by name +Parks +0 +25 .* OWNER +5 in 25 rows +2 right +1 +.* fetch it/m);
    expect(output.text()).to.match(/unknown words: KIND "Car Park" 5; new fields: NAME$/m);
    const wrong =
      'finds nothing at 44.005, -79.995, which is known to be inside, and finds a feature at 44.001, -79.999';
    expect(output.text()).to.include(`The town, wet: layers/parks.json:1 does not fit: `).and.to.include(wrong);
  });
});
