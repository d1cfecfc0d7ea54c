import { expect } from 'chai';
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/drivers/folder.ts';
import {
  dataDirOf,
  failureOf,
  importedRecord,
  importWritten,
  runImport,
  storedRows,
  type ImportRun,
} from '../support/drivers/import-run.ts';
import { definitionOf, writeDefinitions } from '../support/material/layer-definitions.ts';
import { dayOf } from '../../src/messages/time.ts';
import { ogr2ogr } from '../support/material/ogr2ogr.ts';
import { geoJson, polygon, square, writeSources } from '../support/material/sources.ts';
import { writeZip } from '../support/material/zip.ts';

const areas = definitionOf({
  geometry: 'polygon',
  fields: { NAME: { type: 'string', required: true }, SIZE: { type: 'integer', required: false } },
  counts: [{ field: 'NAME', no: ['unwanted'], others: 'yes' }],
});

const good = [polygon([square(-79.5, 43.5, 0.02)], { NAME: 'a' }), polygon([square(-79.4, 43.5, 0.02)], { NAME: 'b' })];
const projected = [polygon([square(630_000, 4_834_000, 1000)], { NAME: 'a' })];

function runOf(folder: string, entry: object, files: ImportRun['files'] = {}): ImportRun {
  return { folder, definitions: { areas }, manifest: { areas: entry }, files };
}

/** Imports one file and gives why it failed; nothing may be published. */
async function fault(entry: object, files: ImportRun['files'] = {}): Promise<string> {
  using folder = temporaryFolder();
  const { outcomes, snapshot } = await runImport(runOf(folder.path, entry, files));
  expect(snapshot).to.equal(null);
  return failureOf(outcomes, 'areas');
}

describe('import of faulty files', () => {
  const faults: Record<string, { entry?: object; content: string | Buffer; says: RegExp }> = {
    'is missing': { entry: { file: 'b.geojson' }, content: '', says: /^b\.geojson: there is no such file$/ },
    'is empty': { content: '', says: /^a\.geojson: is empty \(0 bytes\)$/ },
    'has no features': { content: geoJson([]), says: /^a\.geojson: no features$/ },
    'is a web page': {
      content: '<!doctype html><p>Moved',
      says: /is a web page or XML instead of data: it begins with "<!doctype/,
    },
    'is truncated': { content: geoJson(good).slice(0, -40), says: /FileGDB, or is truncated \(\d+ bytes\)$/ },
    'has projected coordinates': {
      content: geoJson(projected),
      says: /1 of 1 features lie outside Ontario .* \(630000, 4834000\) are read as WGS 84: give the right CRS/,
    },
    'has latitude before longitude': {
      content: geoJson([polygon([square(43.5, -79.5, 0.1)], { NAME: 'a' })]),
      says: /1 of 1 features lie outside Ontario .* \(43\.5, -79\.5\)/,
    },
    'lies in another province': {
      content: geoJson([polygon([square(-64, 45, 0.1)], { NAME: 'a' })]),
      says: /outside Ontario/,
    },
    'lacks a required field': {
      content: geoJson([polygon([square(-80, 44, 0.1)], { TITLE: 'a' })]),
      says: /has no field "NAME"; it has: TITLE/,
    },
    'has text where a number belongs': {
      content: geoJson([polygon([square(-80, 44, 0.1)], { NAME: 'a', SIZE: 'large' })]),
      says: /feature 0: "SIZE" should be of type integer, but is "large"/,
    },
    'has nothing but features to leave out': {
      content: geoJson([polygon([square(-80, 44, 0.1)], { NAME: 'unwanted' })]),
      says: /none of 1 features was kept: 1 NAME is "unwanted"/,
    },
    'has no field of the condition': {
      entry: { file: 'a.geojson', where: 'COLOUR = 1' },
      content: geoJson(good),
      says: /the condition "COLOUR = 1" does not fit its fields \(NAME\)/,
    },
    'has no field to rename': {
      entry: { file: 'a.geojson', rename: { COLOUR: 'SIZE' } },
      content: geoJson(good),
      says: /"rename" names the field "COLOUR", which no file has/,
    },
    'has no such layer': {
      entry: { file: 'a.geojson', layer: 'x' },
      content: geoJson(good),
      says: /has no layer "x"; it has: a/,
    },
    'is said to have an unknown CRS': {
      entry: { file: 'a.geojson', crs: 'EPSG:1' },
      content: geoJson(good),
      says: /"crs" is unknown: EPSG:1/,
    },
    'names another CRS': {
      entry: { file: 'a.geojson', crs: 'EPSG:26917' },
      content: geoJson(projected, 'urn:ogc:def:crs:EPSG::26918'),
      says: /names another CRS \(NAD83 \/ UTM zone 18N\) than "crs": EPSG:26917/,
    },
    'is no zip file': { entry: { file: 'a.zip' }, content: 'hello', says: /is not a zip file: it begins with "hello"/ },
    'is a truncated zip file': {
      entry: { file: 'a.zip' },
      content: zipOf({ 'a.geojson': geoJson(good) }).subarray(0, 120),
      says: /the zip file cannot be read/,
    },
    'is a damaged zip file': {
      entry: { file: 'a.zip' },
      content: damaged(zipOf({ 'a.geojson': geoJson(good) })),
      says: /the zip file cannot be read/,
    },
    'is a zip file without data': {
      entry: { file: 'a.zip' },
      content: zipOf({ 'read.me': 'hello' }),
      says: /contains no GeoPackage, GeoJSON, Shapefile or FileGDB/,
    },
    'is a zip file with two sources': {
      entry: { file: 'a.zip' },
      content: zipOf({ 'a.geojson': geoJson(good), 'b.geojson': geoJson(good) }),
      says: /contains several sources; name one in "layer": a, b/,
    },
    'has a coverage file that is none': {
      entry: { file: 'a.geojson', coverage: 'nowhere.geojson' },
      content: geoJson(good),
      says: /coverage nowhere\.geojson: there is no such file/,
    },
  };
  for (const [what, { entry, content, says }] of Object.entries(faults)) {
    it(`says so when a file ${what}`, async () => {
      const name = JSON.stringify(entry ?? '').includes('a.zip') ? 'a.zip' : 'a.geojson';
      expect(await fault(entry ?? { file: name }, { [name]: content })).to.match(says);
    });
  }

  it('refuses a zip bomb before it unpacks it', async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, 'from'));
    const zip = zipOf({ 'a.geojson': Buffer.alloc(2_000_000) });
    // The directory states 3 GB for a member of 2 kB.
    zip.writeUInt32LE(3_000_000_000, zip.indexOf('PK\x01\x02') + 24);
    const { outcomes } = await runImport(runOf(folder.path, { file: 'a.zip' }, { 'a.zip': zip }));
    expect(failureOf(outcomes, 'areas')).to.match(
      /would unpack from \d+ to 3000000000 bytes: that is not data but a zip bomb/,
    );
  });

  it('refuses a Shapefile without CRS, and takes the one that the manifest gives', async () => {
    using folder = temporaryFolder();
    const from = join(folder.path, 'from');
    mkdirSync(from);
    writeFileSync(join(folder.path, 'a.geojson'), geoJson(good));
    ogr2ogr('-f', 'ESRI Shapefile', from, join(folder.path, 'a.geojson'), '-a_srs', 'None');
    const without = await runImport(runOf(folder.path, { file: 'a.shp' }));
    expect(failureOf(without.outcomes, 'areas')).to.equal('a.shp: does not name its CRS; set it with "crs"');
    const { outcomes } = await runImport(runOf(folder.path, { file: 'a.shp', crs: 'EPSG:4269' }));
    expect(importedRecord(outcomes, 'areas').featureCount).to.equal(2);
  });

  it('names a GeoPackage whose name GDAL would take for that of another file', async () => {
    using folder = temporaryFolder();
    const from = join(folder.path, 'from');
    mkdirSync(from);
    writeFileSync(join(folder.path, 'a.geojson'), geoJson(good));
    for (const name of ['a b.gpkg', 'a%20b.gpkg'])
      ogr2ogr('-f', 'GPKG', join(from, name), join(folder.path, 'a.geojson'));
    const wrong = await runImport(runOf(folder.path, { file: 'a%20b.gpkg' }));
    expect(failureOf(wrong.outcomes, 'areas')).to.match(
      /a%20b\.gpkg has "%20" in its path, which GDAL reads .*rename it$/,
    );
    const { outcomes } = await runImport(runOf(folder.path, { file: 'a b.gpkg' }));
    expect(importedRecord(outcomes, 'areas').featureCount).to.equal(2);
  });

  it('takes the CRS of the manifest for GeoJSON, which seldom names its own', async () => {
    using folder = temporaryFolder();
    const files = { 'a.geojson': geoJson(projected) };
    const { outcomes } = await runImport(runOf(folder.path, { file: 'a.geojson', crs: 'EPSG:26917' }, files));
    expect(importedRecord(outcomes, 'areas').featureCount).to.equal(1);
  });

  it('sees that a Shapefile ends early', async () => {
    using folder = temporaryFolder();
    const from = join(folder.path, 'from');
    mkdirSync(from);
    writeFileSync(join(folder.path, 'a.geojson'), geoJson(good));
    ogr2ogr('-f', 'ESRI Shapefile', from, join(folder.path, 'a.geojson'));
    writeFileSync(join(from, 'a.shp'), Buffer.alloc(150));
    expect((await runImport(runOf(folder.path, { file: 'a.shp' }))).snapshot).to.equal(null);
  });

  it('leaves out the few features beyond the border and counts them', async () => {
    using folder = temporaryFolder();
    const features = [
      ...Array.from({ length: 19 }, (_, i) => polygon([square(-80 + i * 0.01, 44, 0.01)], { NAME: String(i) })),
      polygon([square(-64, 45, 0.1)], { NAME: 'away' }),
    ];
    const { outcomes } = await runImport(runOf(folder.path, { file: 'a.geojson' }, { 'a.geojson': geoJson(features) }));
    expect(importedRecord(outcomes, 'areas')).to.deep.include({ featureCount: 19, dropped: { 'outside Ontario': 1 } });
  });

  it('joins a list of files, renames, filters and drops', async () => {
    using folder = temporaryFolder();
    const files = {
      'a.geojson': geoJson([
        polygon([square(-80, 44, 0.1)], { LABEL: 'one', KEEP: 1 }),
        polygon([square(-80, 44, 0.1)], { LABEL: 'two', KEEP: 0 }),
        polygon([square(-80, 44, 0.1)], { LABEL: 'unwanted', KEEP: 1 }),
      ]),
      'b.geojson': geoJson([polygon([square(-79, 44, 0.1)], { NAME: 'three', KEEP: 1, SIZE: 3 })]),
    };
    const entry = {
      file: ['a.geojson', 'b.geojson'],
      where: 'KEEP = 1',
      rename: { LABEL: 'NAME' },
      asOf: '2024-02-29',
    };
    const run = runOf(folder.path, entry, files);
    const record = importedRecord((await runImport(run)).outcomes, 'areas');
    expect(record).to.deep.include({
      files: ['a.geojson', 'b.geojson'],
      asOf: '2024-02-29',
      asOfFrom: 'source manifest',
      dropped: { 'NAME is "unwanted"': 1 },
    });
    expect(storedRows(dataDirOf(run), 'areas').map(({ values }) => values)).to.deep.equal([
      { NAME: 'one', SIZE: null },
      { NAME: 'three', SIZE: 3 },
    ]);
  });

  it('gives no date to come to a file that a wrong clock has dated', async () => {
    using folder = temporaryFolder();
    const run = runOf(
      folder.path,
      { file: 'a.geojson' },
      { 'a.geojson': geoJson([polygon([square(-80, 44, 0.1)], { NAME: 'a' })]) },
    );
    writeDefinitions(join(folder.path, 'layers'), run.definitions);
    writeSources(join(folder.path, 'from'), run.manifest, run.files);
    utimesSync(join(folder.path, 'from', 'a.geojson'), new Date('2199-01-01'), new Date('2199-01-01'));
    const record = importedRecord((await importWritten(run)).outcomes, 'areas');
    expect(record).to.include({ asOf: dayOf(Date.now()), asOfFrom: 'file date' });
  });
});

function zipOf(members: Record<string, string | Buffer>): Buffer {
  using folder = temporaryFolder();
  const file = join(folder.path, 'a.zip');
  writeZip(file, Object.fromEntries(Object.entries(members).map(([name, content]) => [name, Buffer.from(content)])));
  return readFileSync(file);
}

/** Turns one bit in the middle of the packed data. */
function damaged(zip: Buffer): Buffer {
  const at = 60;
  zip.writeUInt8(zip.readUInt8(at) ^ 0x10, at);
  return zip;
}
