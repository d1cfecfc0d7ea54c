import { expect } from 'chai';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { dataDirOf, featuresAt, importedRecord, runImport, storedRows } from '../support/drivers/import-run.ts';
import { definitionOf } from '../support/material/layer-definitions.ts';
import { geoJson, polygon, square, type TestFeature } from '../support/material/sources.ts';

/** Imports features into one table and gives the record and the fids at a place. */
async function imported(
  folder: string,
  geometry: 'polygon' | 'line' | 'point',
  features: readonly TestFeature[],
  force = false,
) {
  const run = {
    folder,
    definitions: { shapes: definitionOf({ geometry }) },
    manifest: { shapes: { file: 'a.geojson' } },
    files: { 'a.geojson': geoJson(features) },
    force,
  };
  const { outcomes } = await runImport(run);
  return {
    record: importedRecord(outcomes, 'shapes'),
    rows: storedRows(dataDirOf(run), 'shapes'),
    at: (lon: number, lat: number) => featuresAt(dataDirOf(run), 'shapes', [lon, lat]),
  };
}

describe('import of geometries', () => {
  it('keeps a hole open', async () => {
    using folder = temporaryFolder();
    const { record, at } = await imported(folder.path, 'polygon', [
      polygon([square(-80, 44, 0.3), square(-79.9, 44.1, 0.1)]),
    ]);
    expect(record.repaired).to.equal(0);
    expect(at(-79.95, 44.05)).to.deep.equal([1]);
    expect(at(-79.85, 44.15)).to.deep.equal([]);
  });

  it('keeps a hole open that stands before its shell', async () => {
    using folder = temporaryFolder();
    const { record, at } = await imported(folder.path, 'polygon', [
      polygon([square(-79.9, 44.1, 0.1), square(-80, 44, 0.3)]),
    ]);
    expect(record.repaired).to.equal(1);
    expect(at(-79.95, 44.05)).to.deep.equal([1]);
    expect(at(-79.85, 44.15)).to.deep.equal([]);
  });

  it('keeps every part of a multipolygon', async () => {
    using folder = temporaryFolder();
    const coordinates = [[square(-80, 44, 0.1)], [square(-79, 44, 0.1)]];
    const { at } = await imported(folder.path, 'polygon', [
      { geometry: { type: 'MultiPolygon', coordinates }, properties: {} },
    ]);
    expect(at(-79.95, 44.05)).to.deep.equal([1]);
    expect(at(-78.95, 44.05)).to.deep.equal([1]);
    expect(at(-79.45, 44.05)).to.deep.equal([]);
  });

  it('repairs a bow-tie into its two wings, and counts it', async () => {
    using folder = temporaryFolder();
    const bowTie = [
      [-80, 44],
      [-79.8, 44.2],
      [-79.8, 44],
      [-80, 44.2],
      [-80, 44],
    ] as const;
    const { record, at } = await imported(folder.path, 'polygon', [polygon([bowTie])]);
    expect(record.repaired).to.equal(1);
    expect(at(-79.99, 44.1)).to.deep.equal([1]);
    expect(at(-79.81, 44.1)).to.deep.equal([1]);
    expect(at(-79.9, 44.19)).to.deep.equal([]);
  });

  it('covers the overlap of two parts of one multipolygon, which even-odd repair would leave out', async () => {
    using folder = temporaryFolder();
    const coordinates = [[square(-80, 44, 0.2)], [square(-79.9, 44.1, 0.2)]];
    const { record, at } = await imported(folder.path, 'polygon', [
      { geometry: { type: 'MultiPolygon', coordinates }, properties: {} },
    ]);
    expect(record.repaired).to.equal(1);
    expect(at(-79.85, 44.15)).to.deep.equal([1]);
    expect(at(-79.75, 44.25)).to.deep.equal([1]);
  });

  it('cuts out only the part of a hole that lies inside its shell', async () => {
    using folder = temporaryFolder();
    const { record, at } = await imported(folder.path, 'polygon', [
      polygon([square(-80, 44, 0.2), square(-79.9, 44.1, 0.2)]),
    ]);
    expect(record.repaired).to.equal(1);
    expect(at(-79.85, 44.15)).to.deep.equal([]);
    expect(at(-79.75, 44.25)).to.deep.equal([]);
    expect(at(-79.95, 44.05)).to.deep.equal([1]);
  });

  it('leaves out null, empty, flat and foreign geometries, each with its reason', async () => {
    using folder = temporaryFolder();
    const features = [
      { geometry: null, properties: {} },
      { geometry: { type: 'Polygon', coordinates: [] }, properties: {} },
      { geometry: { type: 'Point', coordinates: [-80, 44] }, properties: {} },
      polygon([
        [
          [-80, 44],
          [-79, 44],
          [-80, 44],
          [-80, 44],
        ],
      ]),
      polygon([square(-80, 44, 0.1)]),
    ];
    const { record, rows } = await imported(folder.path, 'polygon', features, true);
    expect(record.dropped).to.deep.equal({
      'no geometry': 2,
      'other geometry type': 1,
      'nothing left after the repair': 1,
    });
    expect(rows.map(({ fid }) => fid)).to.deep.equal([1]);
  });

  it('fails where more than 5 % of the features cannot be placed, because near them the answer would be "no"', async () => {
    using folder = temporaryFolder();
    const lines = { geometry: { type: 'LineString', coordinates: square(-79, 45, 0.1) }, properties: {} };
    const others = Array.from({ length: 19 }, () => polygon([square(-80, 44, 0.1)]));
    const { record } = await imported(folder.path, 'polygon', [...others, lines]);
    expect(record.dropped).to.deep.equal({ 'other geometry type': 1 });
    const refused = await imported(folder.path, 'polygon', [
      ...others,
      lines,
      { geometry: null, properties: {} },
    ]).catch((cause: unknown) => String(cause));
    expect(refused).to.match(/of 21 features, these cannot be placed: 1 no geometry, 1 other geometry type\. Correct/);
  });

  it('keeps a ring beside the shell as a part, with the hole in it', async () => {
    using folder = temporaryFolder();
    const { record, at } = await imported(folder.path, 'polygon', [
      polygon([
        square(-80, 44, 0.3),
        square(-79.9, 44.1, 0.1),
        square(-79, 44, 0.3),
        square(-78.9, 44.1, 0.1),
        // Beside the shell, and along it.
        square(-79.7, 44, 0.3),
      ]),
    ]);
    expect(record.repaired).to.equal(1);
    for (const lon of [-79.95, -78.95, -79.65]) expect(at(lon, 44.05), String(lon)).to.deep.equal([1]);
    for (const lon of [-79.85, -78.85]) expect(at(lon, 44.15), String(lon)).to.deep.equal([]);
  });

  it('takes the polygons out of a geometry collection', async () => {
    using folder = temporaryFolder();
    const geometries = [
      { type: 'Point', coordinates: [-80, 44] },
      { type: 'Polygon', coordinates: [square(-80, 44, 0.1)] },
    ];
    const collection = { type: 'GeometryCollection', geometries, coordinates: undefined };
    const { at } = await imported(folder.path, 'polygon', [{ geometry: collection, properties: {} }]);
    expect(at(-79.95, 44.05)).to.deep.equal([1]);
  });

  it('drops the third dimension of lines', async () => {
    using folder = temporaryFolder();
    const coordinates = [
      [-80, 44, 7],
      [-80, 44.005, 8],
    ];
    const { rows, record } = await imported(folder.path, 'line', [
      { geometry: { type: 'LineString', coordinates }, properties: {} },
    ]);
    expect(rows[0]?.wkt).to.match(/^MULTILINESTRING \(\([\d.]+ [\d.]+,[\d.]+ [\d.]+\)\)$/);
    expect(record.vertexCount).to.equal(2);
  });

  it('stores one point a row', async () => {
    using folder = temporaryFolder();
    const point = (type: string, coordinates: unknown) => ({ geometry: { type, coordinates }, properties: {} });
    const { rows, record } = await imported(folder.path, 'point', [
      point('Point', [-80, 44, 100]),
      point('MultiPoint', [[-79, 44]]),
      point('MultiPoint', [
        [-79, 44],
        [-78, 44],
      ]),
      ...Array.from({ length: 20 }, () => point('Point', [-80, 44])),
    ]);
    expect(new Set(rows.map(({ wkt }) => wkt.split(' ')[0]))).to.deep.equal(new Set(['POINT']));
    expect(rows).to.have.lengthOf(22);
    expect(record.dropped).to.deep.equal({ 'other geometry type': 1 });
  });

  it('follows a parallel of latitude, which is a curve in the projection', async () => {
    using folder = temporaryFolder();
    const { record, at } = await imported(folder.path, 'polygon', [
      polygon([
        [
          [-90, 50],
          [-80, 50],
          [-80, 51],
          [-90, 51],
          [-90, 50],
        ],
      ]),
    ]);
    // The chord of this parallel runs up to 8 km north of it.
    expect(at(-85, 50.001)).to.deep.equal([1]);
    expect(at(-85, 49.999)).to.deep.equal([]);
    // Four edges of 716, 111, 701 and 111 km of which none is longer than 1 km.
    expect(record.vertexCount).to.be.within(1640, 2600);
  });
});
