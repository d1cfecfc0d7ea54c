/** An import from an ArcGIS-compatible server that is not this project's: Koop. */
import FeatureServer from '@koopjs/featureserver';
import { expect } from 'chai';
import express from 'express';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { loadLayers } from '../../src/commands/load-layers.ts';
import { currentSnapshot } from '../../src/snapshots/current.ts';
import { gdal } from '../../workers/geopackage/gdal.ts';
import { capturedOutput } from '../support/captured-output.ts';
import { temporaryFolder } from '../support/folder.ts';
import { definitionOf, writeDefinitions } from '../support/layer-definitions.ts';
import { square } from '../support/sources.ts';

const COUNT = 25;
const SERVICE = 'rest/services/parks/FeatureServer';

const parks = {
  type: 'FeatureCollection',
  metadata: { name: 'Parks', idField: 'ID', geometryType: 'Polygon', maxRecordCount: 10 },
  features: Array.from({ length: COUNT }, (_, i) => ({
    type: 'Feature',
    properties: { ID: i + 1, NAME: `park ${i + 1}` },
    // With a lake in each.
    geometry: {
      type: 'Polygon',
      coordinates: [square(-80 + i * 0.02, 44, 0.01), square(-79.998 + i * 0.02, 44.002, 0.005)],
    },
  })),
};

/** Parks behind Koop. */
async function serveParks() {
  const app = express();
  app.use(express.urlencoded({ extended: true, limit: '1mb' }), express.json());
  app.all(`/${SERVICE}`, (request, response) => {
    FeatureServer.serverInfo(request, response, { layers: [parks] });
  });
  app.all(`/${SERVICE}/0`, (request, response) => {
    FeatureServer.layerInfo(request, response, parks);
  });
  app.all(`/${SERVICE}/0/query`, (request, response) => {
    FeatureServer.query(request, response, structuredClone(parks));
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/rest/services`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('an import from another ArcGIS-compatible server', function () {
  this.timeout(240_000);

  it('gets all features with their attributes and holes', async () => {
    using folder = temporaryFolder();
    await using server = await serveParks();
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
    const retry = { attempts: 2, baseMs: 1, longestMs: 1 };
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
    expect(stored.map(({ name }) => name)).to.have.members(parks.features.map(({ properties }) => properties.NAME));
    expect(stored.map(({ rings }) => rings)).to.deep.equal(Array.from({ length: COUNT }, () => 2));
  });
});
