/** Features whose geometry is in the file, and which GDAL reads without it, in another place or of another shape: few of them, so that nothing else is noticed. */
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { importEach, type EachSource } from '../support/drivers/import-each.ts';
import { featuresAt, storedRows } from '../support/drivers/import-run.ts';
import { ogr2ogr } from '../support/material/ogr2ogr.ts';
import { shapefile } from '../support/material/shapefile.ts';
import { geoJson, polygon, square, type Ring } from '../support/material/sources.ts';
import { writeZip } from '../support/material/zip.ts';

const [shell, hole] = [square(-80, 44, 0.2), square(-79.95, 44.05, 0.1)];
const IN_SHELL = [-79.98, 44.02] as const;

/** The first has a hole; of 42 features one is less than those of which an import fails. */
const areas: readonly (readonly Ring[])[] = [
  [shell, hole],
  ...Array.from({ length: 41 }, (_, i) => [square(-81 + (i % 10) * 0.05, 43.4 + Math.floor(i / 10) * 0.05, 0.02)]),
];
const features = areas.map((rings, i) => ({ type: 'Feature', ...polygon(rings, { NAME: `a${i}` }) }));

/** The collection with another first feature. */
const withFirst = (first: unknown): string =>
  JSON.stringify({ type: 'FeatureCollection', features: [first, ...features.slice(1)] });
const withGeometry = (geometry: unknown): string => withFirst({ ...features[0], geometry });

const { coordinates } = features[0]!.geometry!;
const unreadJson: Readonly<Record<string, string>> = {
  one_level_too_few: withGeometry({ type: 'MultiPolygon', coordinates }),
  one_level_too_many: withGeometry({ type: 'Polygon', coordinates: [coordinates] }),
  flat_ring: withGeometry({ type: 'Polygon', coordinates: [shell.flat()] }),
  unknown_type: withGeometry({ type: 'MultiSurface', coordinates }),
  feature_as_geometry: withGeometry(features[0]),
  geometry_twice: withFirst(null).replace('null', JSON.stringify(features[0]).replace(/\}$/, ',"geometry":null}')),
};

const notFeatures: Readonly<Record<string, unknown>> = {
  list_of_features: features.slice(0, 1),
  nothing: null,
  text_of_a_feature: JSON.stringify(features[0]),
};

/** A GeoPackage of the areas in UTM, changed by SQL. */
function geoPackage(folder: string, name: string, sql: string): Record<string, Buffer> {
  const [from, to] = [join(folder, `${name}.geojson`), join(folder, `${name}.gpkg`)];
  writeFileSync(from, geoJson(features));
  // Triggers of an index need functions that only GDAL has.
  ogr2ogr('-f', 'GPKG', to, from, '-nln', 'a', '-lco', 'SPATIAL_INDEX=NO', '-t_srs', 'EPSG:26917'); // prettier-ignore
  const db = new Database(to);
  db.exec(sql);
  db.close();
  return { [`${name}.gpkg`]: readFileSync(to) };
}

/** The geometry with 26918 in its header in place of 26917. */
const OTHER_HEADER = `CAST(substr(geom, 1, 4) || X'26690000' || substr(geom, 9) AS BLOB)`;
const unreadBlobs: Readonly<Record<string, string>> = {
  cut: 'substr(geom, 1, length(geom) - 40)',
  without_header: 'substr(geom, 41)',
  as_hex: 'hex(geom)',
  too_many_rings: `X'47500001256900000103000000ffffffff'`,
};
/** Geometries that are there and empty: a polygon, a polygon with an envelope of NaN, and a point of NaN. */
const emptyBlobs: Readonly<Record<string, string>> = {
  empty_polygon: `X'4750000125690000010300000000000000'`,
  empty_with_envelope: `X'4750000325690000${'000000000000f87f'.repeat(4)}010300000000000000'`,
  empty_point: `X'47500001256900000101000000${'000000000000f87f'.repeat(2)}'`,
};

const NAME = [['NAME', 'C', 20]] as const;
const shapes = (name: string, rings: readonly (readonly Ring[])[]): Record<string, Buffer> =>
  shapefile(name, rings, NAME, areas.map((_, i) => [`a${i}`])); // prettier-ignore

function exchanged(name: string): Record<string, Buffer> {
  const files = shapes(name, areas);
  const shx = files[`${name}.shx`]!;
  const [first, second] = [Buffer.from(shx.subarray(100, 108)), Buffer.from(shx.subarray(108, 116))];
  second.copy(shx, 100);
  first.copy(shx, 108);
  return files;
}

/** The index of the first shape leads into its middle, where GDAL sees a shape that is null. */
function displaced(name: string): Record<string, Buffer> {
  const files = shapes(name, areas);
  files[`${name}.shx`]!.writeInt32BE(54, 100);
  return files;
}

/** Esri JSON, where a hole is told by its direction, with another ring in the first feature. */
const esri = (ring: readonly (readonly number[])[]): string =>
  JSON.stringify({
    ...{ geometryType: 'esriGeometryPolygon', spatialReference: { wkid: 4269 } },
    fields: [{ name: 'NAME', type: 'esriFieldTypeString' }],
    features: features.map(({ geometry }, i) => ({
      attributes: { NAME: `a${i}` },
      geometry: {
        rings: [...(geometry!.coordinates as Ring[]), ...(i === 0 ? [ring] : [])].map((one) => one.toReversed()),
      },
    })),
  });

/** Each leaves the area as it is. */
const oddRings: Readonly<Record<string, readonly (readonly number[])[]>> = {
  no_position: [],
  one_position: [[-79.9, 44.1]],
  two_positions: [[-79.9, 44.1], [-79.8, 44.1]], // prettier-ignore
  there_and_back: [[-79.9, 44.1], [-79.8, 44.1], [-79.9, 44.1]], // prettier-ignore
};

const clockwise = (ring: Ring): Ring => ring.toReversed();

function fromWkt(folder: string, name: string, rows: Readonly<Record<string, string>>): Record<string, Buffer> {
  const [from, to] = [join(folder, `${name}.csv`), join(folder, `${name}.gpkg`)];
  writeFileSync(from, `NAME,WKT\n${Object.entries(rows).map(([one, wkt]) => `${one},"${wkt}"\n`).join('')}`); // prettier-ignore
  ogr2ogr('-f', 'GPKG', to, from, '-a_srs', 'EPSG:26917', '-nln', name);
  return { [`${name}.gpkg`]: readFileSync(to) };
}

const circle =
  'CURVEPOLYGON(CIRCULARSTRING(600000 4800000,601000 4801000,602000 4800000,601000 4799000,600000 4800000))';

describe('geometries that GDAL does not read, or reads as others', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  let outcomes: Awaited<ReturnType<typeof importEach>>['outcomes'];
  let dataDir: string;
  const said = (id: string): string => {
    const outcome = outcomes[id]!;
    return 'error' in outcome ? outcome.error : `${outcome.record.featureCount} features`;
  };

  before(async () => {
    const made = join(folder.path, 'made');
    mkdirSync(made);
    const json = (texts: Readonly<Record<string, string>>): Record<string, EachSource> =>
      Object.fromEntries(Object.entries(texts).map(([id, text]) => [id, { files: { [`${id}.geojson`]: text } }]));
    const gpkg = (id: string, sql: string): EachSource => ({ files: geoPackage(made, id, sql) });
    ({ outcomes, dataDir } = await importEach(join(folder.path, 'run'), {
      ...json(unreadJson),
      ...json(Object.fromEntries(Object.entries(notFeatures).map(([id, one]) => [id, withFirst(one)]))),
      ...json({
        geometry_as_text: withGeometry(JSON.stringify(features[0]!.geometry)),
        no_geometry: withGeometry(null),
        empty_geometry: withGeometry({ type: 'Polygon', coordinates: [] }),
        empty_ring: withGeometry({ type: 'Polygon', coordinates: [shell, hole, []] }),
        empty_first_ring: withGeometry({ type: 'Polygon', coordinates: [[], shell, hole] }),
        two_references: JSON.stringify({
          ...{ geometryType: 'esriGeometryPolygon', spatialReference: { wkid: 26917 } },
          fields: [{ name: 'NAME', type: 'esriFieldTypeString' }],
          features: features.map(({ geometry }) => ({
            attributes: { NAME: 'x' },
            geometry: { rings: geometry!.coordinates, spatialReference: { wkid: 26918 } },
          })),
        }),
        one_reference: JSON.stringify({
          ...{ geometryType: 'esriGeometryPolygon', spatialReference: { wkid: 102100, latestWkid: 4269 } },
          fields: [{ name: 'NAME', type: 'esriFieldTypeString' }],
          features: features.map(({ geometry }) => ({
            attributes: { NAME: 'x' },
            geometry: { rings: geometry!.coordinates, spatialReference: { wkid: 4269 } },
          })),
        }),
      }),
      ...Object.fromEntries(
        Object.entries(oddRings).map(([id, ring]) => [id, { files: { [`${id}.json`]: esri(ring) } }]),
      ),
      short_line: {
        files: {
          'short_line.geojson': geoJson([
            { geometry: { type: 'MultiLineString', coordinates: [[[-80, 44], [-80, 44.1]], [[-79, 44]], []] }, properties: { NAME: 'x' } }, // prettier-ignore
          ]),
        },
        definition: { geometry: 'line' },
      },
      unread_elsewhere: {
        ...gpkg('unread_elsewhere', 'UPDATE a SET geom = hex(geom) WHERE fid = 1'),
        entry: { where: `NAME <> 'a7'` },
      },
      no_geometry_elsewhere: {
        ...gpkg('no_geometry_elsewhere', 'UPDATE a SET geom = NULL WHERE fid = 1'),
        entry: { where: `NAME <> 'a7'` },
      },
      styles: gpkg(
        'styles',
        `CREATE TABLE layer_styles (id INTEGER PRIMARY KEY, styleName TEXT);
         INSERT INTO gpkg_contents (table_name, data_type, identifier) VALUES ('layer_styles', 'attributes', 'layer_styles')`,
      ),
      ...Object.fromEntries(
        Object.entries({ ...unreadBlobs, ...emptyBlobs }).map(([id, blob]) => [
          id,
          gpkg(id, `UPDATE a SET geom = ${blob} WHERE fid = 1`),
        ]),
      ),
      null_blob: gpkg('null_blob', 'UPDATE a SET geom = NULL WHERE fid = 1'),
      other_header: gpkg('other_header', `UPDATE a SET geom = ${OTHER_HEADER} WHERE fid = 1`),
      unknown_header: gpkg('unknown_header', `UPDATE a SET geom = ${OTHER_HEADER.replace('26690000', '00000000')}`),
      other_contents: gpkg('other_contents', 'UPDATE gpkg_contents SET srs_id = 4326'),
      other_definition: gpkg(
        'other_definition',
        `UPDATE gpkg_spatial_ref_sys SET definition = replace(definition, '"26917"]]', '"26918"]]') WHERE srs_id = 26917`,
      ),
      exchanged: { files: exchanged('exchanged') },
      displaced: { files: displaced('displaced') },
      all_clockwise: { files: shapes('all_clockwise', areas.map((rings) => rings.map(clockwise))) }, // prettier-ignore
      none_clockwise: { files: shapes('none_clockwise', areas) },
      island: {
        files: shapes('island', [[shell, hole, square(-79.93, 44.07, 0.06), square(-79.7, 44, 0.1)], ...areas.slice(1)]), // prettier-ignore
      },
      surface: {
        files: fromWkt(made, 'surface', {
          roof: 'POLYHEDRALSURFACE(((0 0,1 0,1 1,0 0)),((0 0,1 1,0 1,0 0)))',
        }),
      },
      triangles: {
        files: fromWkt(made, 'triangles', {
          roof: 'GEOMETRYCOLLECTION(TIN(((0 0,1 0,1 1,0 0))))',
        }),
      },
      curve: { files: fromWkt(made, 'curve', { round: circle }) },
      second_curve: { files: fromWkt(made, 'second_curve', { round: circle }) },
      updated_zip: { files: { 'updated.zip': updatedZip(made) } },
    }));
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  for (const id of [...Object.keys(unreadJson), ...Object.keys(unreadBlobs)])
    it(`refuses a file with a geometry that is not read: ${id.replaceAll('_', ' ')}`, () => {
      expect(said(id)).to.match(/is damaged: 1 of 42 features have a geometry that cannot be read/);
    });

  for (const id of Object.keys(notFeatures))
    it(`refuses a list of features with something else in it: ${id.replaceAll('_', ' ')}`, () => {
      expect(said(id)).to.match(/has something else than a feature in its list "features" at byte \d+/);
    });

  it('refuses a geometry that is a text', () => {
    expect(said('geometry_as_text')).to.match(/has a geometry that is a text at byte/);
  });

  it('counts a feature that has no geometry in the file', () => {
    for (const id of ['no_geometry', 'empty_geometry', 'null_blob', ...Object.keys(emptyBlobs)])
      expect(said(id), id).to.equal('41 features');
  });

  it('leaves out a ring without positions, and not its polygon', () => {
    for (const id of ['empty_ring', 'empty_first_ring']) {
      expect(said(id), id).to.equal('42 features');
      expect(featuresAt(dataDir, id, IN_SHELL), id).to.deep.equal([1]);
      expect(storedRows(dataDir, id)[0]!.areaKm2, id).to.be.within(266, 268);
    }
  });

  for (const id of Object.keys(oddRings))
    it(`keeps a hole of Esri JSON open beside a ring that is none: ${id.replaceAll('_', ' ')}`, () => {
      expect(said(id)).to.equal('42 features');
      expect(storedRows(dataDir, id)[0]!.areaKm2).to.be.within(266, 268);
    });

  it('leaves out parts of a line that lead nowhere', () => {
    expect(said('short_line')).to.equal('1 features');
    expect(storedRows(dataDir, 'short_line')[0]!.wkt).to.match(/^MULTILINESTRING \(\([^()]*\)\)$/);
  });

  it('sees a geometry that is not read where a condition chooses features, too', () => {
    expect(said('unread_elsewhere')).to.match(/is damaged: 1 of 42 features have a geometry that cannot be read/);
    expect(said('no_geometry_elsewhere')).to.equal('40 features');
  });

  it('takes the only layer that has geometries', () => {
    expect(said('styles')).to.equal('42 features');
  });

  it('refuses two reference systems in one layer', () => {
    expect(said('other_header')).to.match(/two reference systems for the layer "a" \(26917 and 26918\)/);
    expect(said('other_contents')).to.match(/two reference systems for the layer "a" \(26917 and 4326\)/);
    expect(said('other_definition')).to.match(/under one number \(EPSG:26917, defined as EPSG:26918\)/);
    expect(said('two_references')).to.match(/gives several reference systems \(26917 and 26918\)/);
    for (const id of ['unknown_header', 'one_reference']) expect(said(id), id).to.equal('42 features');
  });

  it('refuses the index of another Shapefile', () => {
    expect(said('exchanged')).to.match(/is damaged: shape 2 has the number 1 behind the number 2/);
    expect(said('displaced')).to.match(/is damaged: shape 2 has the number 2 behind the number \d+/);
  });

  it('keeps a hole open where all rings of a Shapefile have one direction, and the island in it', () => {
    for (const id of ['all_clockwise', 'none_clockwise']) {
      expect(said(id), id).to.equal('42 features');
      expect(storedRows(dataDir, id)[0]!.areaKm2, id).to.be.within(266, 268);
    }
    const [island] = storedRows(dataDir, 'island');
    // 356 km² less 89, with an island of 32 and another part of 89.
    expect(island!.areaKm2).to.be.within(386, 390);
  });

  it('refuses surfaces of several faces in words', () => {
    for (const id of ['surface', 'triangles']) expect(said(id), id).to.match(/has surfaces of several faces/);
  });

  it('straightens the curves of two data sets in one import', () => {
    for (const id of ['curve', 'second_curve']) expect(said(id), id).to.equal('1 features');
  });

  it('takes the last of two members of one name in a zip file with a FileGDB', () => {
    expect(said('updated_zip')).to.equal('42 features');
  });
});

/** A zip file to which a newer FileGDB was added; both have members of the same names. */
function updatedZip(folder: string): Buffer {
  const members = ['old.gdb', 'new.gdb'].flatMap((name, i) => {
    const [from, gdb] = [join(folder, `${name}.geojson`), join(folder, name)];
    writeFileSync(from, geoJson(i === 0 ? features.slice(0, 2) : features));
    ogr2ogr('-f', 'OpenFileGDB', gdb, from, '-nln', 'a', '-nlt', 'MULTIPOLYGON');
    return readdirSync(gdb).map((member) => [`${name}/${member}`, readFileSync(join(gdb, member))] as const);
  });
  const file = join(folder, 'updated.zip');
  writeZip(file, Object.fromEntries(members));
  return Buffer.from(readFileSync(file, 'latin1').replaceAll('old.gdb', 'new.gdb'), 'latin1');
}
