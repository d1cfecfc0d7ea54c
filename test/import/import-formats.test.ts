import { expect } from 'chai';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { definitionOf } from '../support/material/layer-definitions.ts';
import { temporaryFolder } from '../support/drivers/folder.ts';
import {
  dataDirOf,
  failureOf,
  featuresAt,
  importedRecord,
  runImport,
  storedRows,
} from '../support/drivers/import-run.ts';
import { ogr2ogr } from '../support/material/ogr2ogr.ts';
import { geoJson, polygon, square } from '../support/material/sources.ts';
import { writeZip, zipFolder } from '../support/material/zip.ts';

const areas = definitionOf({
  geometry: 'polygon',
  fields: {
    NAME: { type: 'string', required: true },
    SIZE: { type: 'integer', required: false },
    NEVER: { type: 'string', required: false },
  },
});

const text = { type: 'string', required: false } as const;

const source = geoJson([
  polygon([square(-79.5, 43.5, 0.02)], { NAME: 'Étang', SIZE: 7, OTHER: 'x' }),
  polygon([square(-79.4, 43.5, 0.02)], { NAME: 'Second', SIZE: null, OTHER: 'y' }),
]);

/** Imports the source in another format and expects what it holds. */
async function expectSource(folder: string, name: string, entry: object = {}): Promise<void> {
  const run = { folder, definitions: { areas }, manifest: { areas: { file: name, ...entry } }, files: {} };
  const { outcomes, snapshot } = await runImport(run);
  const record = importedRecord(outcomes, 'areas');
  expect(record).to.include({ featureCount: 2, vertexCount: record.vertexCount, repaired: 0, coverage: 'province' });
  expect(record.fields).to.deep.equal(['NAME', 'SIZE']);
  expect(snapshot).to.match(/^\d{8}T\d{6}Z-[0-9a-f]{12}$/);
  const rows = storedRows(dataDirOf(run), 'areas');
  expect(rows.map(({ fid, values }) => ({ fid, ...values }))).to.deep.equal([
    { fid: 1, NAME: 'Étang', SIZE: 7 },
    { fid: 2, NAME: 'Second', SIZE: null },
  ]);
  for (const { wkt, areaKm2 } of rows) {
    expect(wkt).to.match(/^MULTIPOLYGON \(\(\(/);
    // 0.02° of longitude at 43.51° N are 1,618 m, 0.02° of latitude 2,222 m; the projection scales areas by 1.2 %.
    expect(areaKm2).to.be.within(3.55, 3.68);
  }
  expect(featuresAt(dataDirOf(run), 'areas', [-79.49, 43.51])).to.deep.equal([1]);
  expect(featuresAt(dataDirOf(run), 'areas', [-79.45, 43.51])).to.deep.equal([]);
}

describe('import of source formats', () => {
  /** A run's folder with the source as `source.geojson` outside of it. */
  function prepared() {
    const scope = temporaryFolder();
    const from = join(scope.path, 'from');
    const geojson = join(scope.path, 'source.geojson');
    writeFileSync(geojson, source);
    mkdirSync(from);
    return { ...scope, from, geojson, [Symbol.dispose]: scope[Symbol.dispose] };
  }

  it('reads GeoJSON', async () => {
    using folder = prepared();
    writeFileSync(join(folder.from, 'a.geojson'), source);
    await expectSource(folder.path, 'a.geojson');
  });

  for (const name of ['a.geojson.gz', 'a.geojson'])
    it(`says that ${name} is compressed`, async () => {
      using folder = temporaryFolder();
      const run = {
        ...{ folder: folder.path, definitions: { areas }, manifest: { areas: { file: name } } },
        files: { [name]: gzipSync(source) },
      };
      expect(failureOf((await runImport(run)).outcomes, 'areas')).to.equal(
        `${name}: is compressed with gzip: unpack it first`,
      );
    });

  it('keeps text that looks like a time as it is, and no number that a double does not hold', async () => {
    using folder = temporaryFolder();
    const run = {
      folder: folder.path,
      definitions: { areas: definitionOf({ geometry: 'polygon', fields: { A: text, B: text, C: text } }) },
      manifest: { areas: { file: 'a.geojson' } },
      files: {
        'a.geojson': geoJson([polygon([square(-80, 44, 0.1)], { A: '12:30:00', B: 0, C: 42 })]).replace(
          '"B":0',
          // GDAL gives 9007199254740992.
          '"B":9007199254740993',
        ),
      },
    };
    importedRecord((await runImport(run)).outcomes, 'areas');
    expect(storedRows(dataDirOf(run), 'areas')[0]?.values).to.deep.equal({ A: '12:30:00', B: null, C: '42' });
  });

  it('keeps text that looks like a date as it is', async () => {
    using folder = temporaryFolder();
    const features = ['2024-05-01', '2024-05-02'].map((NAME, i) =>
      polygon([square(-79.5 + i * 0.1, 43.5, 0.02)], { NAME }),
    );
    const files = { 'a.geojson': geoJson(features) };
    const run = { folder: folder.path, definitions: { areas }, manifest: { areas: { file: 'a.geojson' } }, files };
    importedRecord((await runImport(run)).outcomes, 'areas');
    expect(storedRows(dataDirOf(run), 'areas').map(({ values }) => values['NAME'])).to.deep.equal([
      '2024-05-01',
      '2024-05-02',
    ]);
  });

  it('reads a GeoPackage in another CRS, one layer of several, chosen by name', async () => {
    using folder = prepared();
    const file = join(folder.from, 'a.gpkg');
    ogr2ogr('-f', 'GPKG', file, folder.geojson, '-nln', 'wanted', '-t_srs', 'EPSG:26917');
    ogr2ogr('-f', 'GPKG', '-update', file, folder.geojson, '-nln', 'unwanted', '-where', "NAME = 'Second'");
    await expectSource(folder.path, 'a.gpkg', { layer: 'wanted' });
  });

  it('asks for the CRS of a GeoPackage that says it is not known', async () => {
    using folder = prepared();
    ogr2ogr('-f', 'GPKG', join(folder.from, 'a.gpkg'), folder.geojson, '-nln', 'a', '-a_srs', 'none');
    const run = { folder: folder.path, definitions: { areas }, manifest: { areas: { file: 'a.gpkg' } }, files: {} };
    const { outcomes } = await runImport(run);
    expect(failureOf(outcomes, 'areas')).to.equal('a.gpkg: does not name its CRS; set it with "crs"');
    await expectSource(folder.path, 'a.gpkg', { crs: 'EPSG:4326' });
  });

  it('reads a Shapefile in NAD83 and its text encoding', async () => {
    using folder = prepared();
    ogr2ogr(
      '-f',
      'ESRI Shapefile',
      join(folder.from, 'a.shp'),
      folder.geojson,
      '-t_srs',
      'EPSG:4269',
      '-lco',
      'ENCODING=UTF-8',
    );
    await expectSource(folder.path, 'a.shp');
  });

  type Change = (shp: Buffer, shx: Buffer) => void;
  /** Places of the first record's type, parts and first part, and of the index's second record (ESRI Shapefile Technical Description, July 1998). */
  const [TYPE_AT, PARTS_AT, FIRST_PART_AT, SECOND_AT] = [108, 144, 152, 108];
  const damages: Readonly<Record<string, readonly [Change, string]>> = {
    'an index with one place twice': [
      (_, shx) => void shx.writeInt32BE(shx.readInt32BE(100), SECOND_AT),
      'shape 2 is that of another record too',
    ],
    'a record behind the end': [
      (_, shx) => void shx.writeInt32BE(1_000_000, SECOND_AT),
      'shape 2 lies outside the file',
    ],
    'a record of another type': [(shp) => void shp.writeInt32LE(3, TYPE_AT), 'shape 1 is of type 3'],
    'more parts than it has room for': [
      (shp) => void shp.writeInt32LE(70_000, PARTS_AT),
      'shape 1 has 70000 parts and 5 points, for which it is too short',
    ],
    'a part that begins behind the last point': [
      (shp) => void shp.writeInt32LE(5, FIRST_PART_AT),
      'shape 1 has parts that do not follow each other',
    ],
  };
  for (const [what, [change, says]] of Object.entries(damages))
    it(`refuses a Shapefile with ${what}, of which GDAL makes no geometry or another one`, async () => {
      using folder = prepared();
      const [shp, shx] = ['a.shp', 'a.shx'].map((name) => join(folder.from, name)) as [string, string];
      ogr2ogr('-f', 'ESRI Shapefile', shp, folder.geojson, '-lco', 'ENCODING=UTF-8');
      const files = [readFileSync(shp), readFileSync(shx)] as const;
      change(...files);
      writeFileSync(shp, files[0]);
      writeFileSync(shx, files[1]);
      const run = { folder: folder.path, definitions: { areas }, manifest: { areas: { file: 'a.shp' } }, files: {} };
      expect(failureOf((await runImport(run)).outcomes, 'areas')).to.equal(`a.shp: is damaged: ${says}`);
    });

  it('counts a shape that is null as one without geometry', async () => {
    using folder = prepared();
    const shp = join(folder.from, 'a.shp');
    ogr2ogr('-f', 'ESRI Shapefile', shp, folder.geojson, '-lco', 'ENCODING=UTF-8');
    const bytes = readFileSync(shp);
    bytes.writeInt32LE(0, TYPE_AT);
    writeFileSync(shp, bytes);
    const run = {
      ...{ folder: folder.path, definitions: { areas }, manifest: { areas: { file: 'a.shp' } }, files: {} },
      force: true,
    };
    const record = importedRecord((await runImport(run)).outcomes, 'areas');
    expect(record).to.deep.include({ featureCount: 1, dropped: { 'no geometry': 1 } });
  });

  for (const said of ['\ufeffUTF-8', 'UTF-8\r\n\0'])
    it(`reads a Shapefile whose .cpg is ${JSON.stringify(said)}`, async () => {
      using folder = prepared();
      ogr2ogr('-f', 'ESRI Shapefile', join(folder.from, 'a.shp'), folder.geojson, '-lco', 'ENCODING=UTF-8');
      writeFileSync(join(folder.from, 'a.cpg'), said);
      await expectSource(folder.path, 'a.shp');
    });

  it('reads a zipped Shapefile, also one in a folder inside the zip', async () => {
    using folder = prepared();
    const shapes = join(folder.path, 'shapes');
    ogr2ogr(
      '-f',
      'ESRI Shapefile',
      shapes,
      folder.geojson,
      '-nln',
      'a',
      '-lco',
      'ENCODING=UTF-8',
      '-t_srs',
      'EPSG:3347',
    );
    zipFolder(join(folder.from, 'a.zip'), shapes);
    await expectSource(folder.path, 'a.zip');
  });

  it('reads a FileGDB as a folder', async () => {
    using folder = prepared();
    ogr2ogr('-f', 'OpenFileGDB', join(folder.from, 'a.gdb'), folder.geojson, '-nln', 'a', '-t_srs', 'EPSG:3161');
    await expectSource(folder.path, 'a.gdb');
  });

  it('reads a zipped FileGDB, with its folder or without', async () => {
    using folder = prepared();
    const gdb = join(folder.path, 'a.gdb');
    ogr2ogr('-f', 'OpenFileGDB', gdb, folder.geojson, '-nln', 'a');
    zipFolder(join(folder.from, 'a.zip'), gdb);
    await expectSource(folder.path, 'a.zip');

    const members = readdirSync(gdb).map((name) => [name, readFileSync(join(gdb, name))] as const);
    writeZip(join(folder.from, 'bare.zip'), Object.fromEntries(members));
    rmSync(join(folder.path, 'data'), { recursive: true });
    await expectSource(folder.path, 'bare.zip');
  });

  it('straightens curves, which the binding cannot hold', async () => {
    using folder = temporaryFolder();
    const csv = join(folder.path, 'curve.csv');
    const wkt =
      'CURVEPOLYGON(CIRCULARSTRING(600000 4800000,601000 4801000,602000 4800000,601000 4799000,600000 4800000))';
    writeFileSync(csv, `NAME,WKT\nround,"${wkt}"\n`);
    mkdirSync(join(folder.path, 'from'));
    ogr2ogr('-f', 'GPKG', join(folder.path, 'from', 'a.gpkg'), csv, '-a_srs', 'EPSG:26917');
    const run = { folder: folder.path, definitions: { areas }, manifest: { areas: { file: 'a.gpkg' } }, files: {} };
    importedRecord((await runImport(run)).outcomes, 'areas');
    const [row] = storedRows(dataDirOf(run), 'areas');
    expect(row?.areaKm2).to.be.within(Math.PI * 0.99, Math.PI * 1.02);
    const positions = Array.from(
      row!.wkt.matchAll(/([\d.]+) ([\d.]+)/g),
      ([, x, y]) => [Number(x), Number(y)] as const,
    );
    const edges = positions.slice(1).map(([x, y], i) => Math.hypot(x - positions[i]![0], y - positions[i]![1]));
    // A chord of 9 m is 1 cm off an arc of a kilometre; GDAL's own chords are 60 cm off.
    expect(Math.max(...edges)).to.be.lessThan(9);
  });
});
