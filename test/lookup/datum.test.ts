import { expect } from 'chai';
import { join } from 'node:path';
import { loadLayers } from '../support/drivers/load-layers.ts';
import { currentSnapshot } from '../../src/core/snapshots/current.ts';
import { gdal } from '../../workers/geopackage/gdal.ts';
import { project } from '../../workers/geopackage/lambert.ts';
import { crsText } from '../../workers/import/sources/open-source.ts';
import { genuine, lambert } from '../../workers/geopackage/spatial-reference.ts';
import type { ServedLayer } from '../support/doubles/arcgis/layers.ts';
import { ArcgisServer } from '../support/doubles/arcgis/server.ts';
import { capturedOutput } from '../support/drivers/captured-output.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { definitionOf, writeDefinitions } from '../support/material/layer-definitions.ts';
import { province } from '../support/doubles/province/catalogue.ts';
import { serve } from '../support/doubles/province/serve.ts';

/** Less than a thousandth of a millimetre: rounding. */
const NOTHING_M = 1e-6;

const places = [
  [-95.1, 49.4],
  [-83.0, 42.3],
  [-79.4, 43.7],
  [-79.9, 51.3],
  [-74.5, 45.2],
] as const;

/** Points of a layer that the server moves when it is asked for WGS 84. */
const wells: ServedLayer = serve(
  { ...province['well_records']!, isMoved: true },
  places.map(([lon, lat], i) => ({
    attributes: { WELL_ID: `${i}` },
    geometry: { type: 'Point', coordinates: [lon, lat] },
  })),
);

function distanceM({ x, y }: { x: number; y: number }, [lon, lat]: readonly [number, number]): number {
  const wanted = project({ lat, lon });
  return Math.hypot(x - wanted.x, y - wanted.y);
}

describe('the datum', function () {
  this.timeout(240_000);

  it('moves a layer of the province by 0 m', async () => {
    using folder = temporaryFolder();
    await using server = await ArcgisServer.start([wells]);
    const { service, name, id } = wells;
    const source = { kind: 'arcgis', service, names: [name], layerIdHint: id, confirmed: null } as const;
    const layersDir = writeDefinitions(join(folder.path, 'layers'), {
      wells: definitionOf({
        geometry: 'point',
        fields: { WELL_ID: { type: 'string', required: true } },
        sources: [source],
      }),
    });
    const config = { dataDir: join(folder.path, 'data'), layersDir };
    const output = capturedOutput();
    expect(await loadLayers(config, { server: server.url }, output), output.text()).to.equal(0);
    const dataset = gdal.open(join(currentSnapshot(config.dataDir)!.dir, 'land.gpkg'), 'r', ['GPKG']);
    const stored = dataset.layers
      .get('wells')
      .features.map((feature) => feature.getGeometry() as unknown as { x: number; y: number });
    const offM = stored.map((point, i) => distanceM(point, places[i]!));
    dataset.close();
    expect(stored).to.have.length(places.length);
    expect(Math.max(...offM)).to.be.lessThan(NOTHING_M);
    expect(server.requests.filter(({ query }) => query.get('outSR') === '4326')).to.deep.equal([]);
  });

  for (const crs of ['EPSG:4269', 'EPSG:4326', 'OGC:CRS84', 'EPSG:4617', 'EPSG:8255'])
    it(`leaves degrees of ${crs} where they are`, () => {
      expect(Math.max(...places.map((place) => distanceM(toStored(crs, place), place)))).to.be.lessThan(NOTHING_M);
    });

  it('reads metres of NAD83(CSRS) as those of NAD83', () => {
    const at = [630_000, 4_834_000] as const;
    const [csrs, nad83] = [toStored('EPSG:2958', at), toStored('EPSG:26917', at)];
    expect(Math.hypot(csrs.x - nad83.x, csrs.y - nad83.y)).to.be.lessThan(NOTHING_M);
  });

  it('reads degrees on a nameless GRS 80, and metres of the web', () => {
    expect(distanceM(toStored('+proj=longlat +ellps=GRS80 +no_defs', places[2]), places[2])).to.be.lessThan(NOTHING_M);
    expect(distanceM(toStored('EPSG:3857', [-8838767.5693, 5419133.2594]), places[2])).to.be.lessThan(0.01);
  });

  // PROJ without the grid moves the places by a vector that is up to 20 m off in Ontario.
  for (const crs of [
    'EPSG:4267',
    'EPSG:26717',
    'EPSG:4608',
    'EPSG:2019',
    'EPSG:4122',
    '+proj=utm +zone=17 +datum=NAD27',
  ])
    it(`refuses ${crs}, which it cannot convert to a few metres`, () => {
      expect(() => crsText(crs)).to.throw(/whose datum is not NAD83 or WGS 84.*convert it .* to EPSG:4269/);
    });
});

function toStored(crs: string, [x, y]: readonly [number, number]): { x: number; y: number } {
  const srs = genuine(() => gdal.SpatialReference.fromWKT(crsText(crs)));
  return new gdal.CoordinateTransformation(srs, lambert()).transformPoint(x, y);
}
