/** Values of attributes that GDAL, or JavaScript, reads as others than the file has. */
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/drivers/folder.ts';
import { importEach, type EachOutcome, type EachSource } from '../support/drivers/import-each.ts';
import { storedRows } from '../support/drivers/import-run.ts';
import { ogr2ogr } from '../support/material/ogr2ogr.ts';
import { shapefile, type DbfField } from '../support/material/shapefile.ts';
import { geoJson, polygon, square } from '../support/material/sources.ts';

type Type = 'string' | 'integer' | 'real' | 'date';

const rings = [0, 1].map((i) => [square(-79.5 + i * 0.1, 43.5, 0.02)]);

/** The value that is tried, in the first of two features. */
interface Tried {
  readonly type: Type;
  readonly value: unknown;
  readonly other?: unknown;
}

const definitionOfValue = (type: Type) => ({ fields: { V: { type, required: false } } }) as const;

const inJson = (id: string, { type, value, other }: Tried): EachSource => ({
  files: {
    [`${id}.geojson`]: JSON.stringify({
      type: 'FeatureCollection',
      features: rings.map((one, i) => ({
        type: 'Feature',
        ...polygon(one),
        properties: { V: i === 0 ? value : other },
      })),
    }),
  },
  definition: definitionOfValue(type),
});

const inEsriJson = (id: string, esriType: string, { type, value, other }: Tried): EachSource => ({
  files: {
    [`${id}.json`]: JSON.stringify({
      ...{ geometryType: 'esriGeometryPolygon', spatialReference: { wkid: 4269 } },
      fields: [{ name: 'V', type: esriType }],
      features: rings.map((one, i) => ({ attributes: { V: i === 0 ? value : other }, geometry: { rings: one } })),
    }),
  },
  definition: definitionOfValue(type),
});

const inDbf = (
  id: string,
  [type, length, decimals = 0]: readonly [string, number, number?],
  tried: Tried,
): EachSource => {
  const fields: DbfField[] = [['V', type, length, decimals]];
  const rows = [tried.value, tried.other].map((one) => [one as string | Buffer]);
  return { files: shapefile(id, rings, fields, rows), definition: definitionOfValue(tried.type) };
};

function inGeoPackage(folder: string, id: string, declared: string, { type, value }: Tried): EachSource {
  const [from, to] = [join(folder, `${id}.geojson`), join(folder, `${id}.gpkg`)];
  writeFileSync(from, geoJson(rings.map((one) => polygon(one))));
  ogr2ogr('-f', 'GPKG', to, from, '-nln', 'a', '-lco', 'SPATIAL_INDEX=NO');
  const db = new Database(to);
  db.exec(`ALTER TABLE a ADD COLUMN V ${declared}`);
  db.prepare('UPDATE a SET V = ? WHERE fid = 1').run(value);
  db.close();
  return { files: { [`${id}.gpkg`]: readFileSync(to) }, definition: definitionOfValue(type) };
}

/** Attributes under their aliases: GDAL finds the fields that are listed, and no values. */
const underAlias = {
  ...{ geometryType: 'esriGeometryPolygon', spatialReference: { wkid: 4269 } },
  fields: [{ name: 'NAME', type: 'esriFieldTypeString', alias: 'Official name' }],
  features: rings.map((one) => ({ attributes: { 'Official name': 'x' }, geometry: { rings: one } })),
};

const number = (type: 'integer' | 'real', value: unknown, other: unknown = '1'): Tried => ({ type, value, other });
const date = (value: unknown, other = value): Tried => ({ type: 'date', value, other });

const refusedNumber = (text: string): RegExp =>
  new RegExp(`has "${text}" in the field "V" of numbers, which would be read as another number`);

describe('values that would be read as others', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  let outcomes: Readonly<Record<string, EachOutcome>>;
  let dataDir: string;
  const made = join(folder.path, 'made');
  const valueOf = (id: string): unknown => {
    const outcome = outcomes[id]!;
    return 'error' in outcome ? outcome.error : storedRows(dataDir, id)[0]!.values['V'];
  };

  before(async () => {
    mkdirSync(made);
    ({ outcomes, dataDir } = await importEach(join(folder.path, 'run'), {
      dbf_comma: inDbf('dbf_comma', ['N', 8, 2], number('real', '12,5')),
      dbf_thousands: inDbf('dbf_thousands', ['N', 8], number('integer', '1,234')),
      dbf_text: inDbf('dbf_text', ['N', 8], number('integer', 'n/a')),
      dbf_part: inDbf('dbf_part', ['N', 8], number('integer', '1.5')),
      dbf_exponent: inDbf('dbf_exponent', ['N', 10, 2], number('real', '1.2E+05')),
      dbf_float: inDbf('dbf_float', ['F', 10, 3], number('real', '   -1.500 ')),
      dbf_overflow: inDbf('dbf_overflow', ['N', 5], number('integer', '*****')),
      dbf_blank: inDbf('dbf_blank', ['N', 5], number('integer', '')),
      dbf_nul: inDbf('dbf_nul', ['N', 5], number('integer', Buffer.from('12\0\0\0'))),
      dbf_memo: inDbf('dbf_memo', ['M', 10], { type: 'string', value: '         1', other: '         2' }),
      dbf_binary: inDbf('dbf_binary', ['B', 8], number('real', Buffer.alloc(8, 64), Buffer.alloc(8))),
      dbf_day: inDbf('dbf_day', ['N', 8], date('20040105')),
      dbf_month_13: inDbf('dbf_month_13', ['D', 8], date('20041305', '20040105')),
      dbf_no_day: inDbf('dbf_no_day', ['D', 8], date('00000000', '20040105')),
      gpkg_text: inGeoPackage(made, 'gpkg_text', 'INTEGER', number('integer', 'n/a')),
      gpkg_unit: inGeoPackage(made, 'gpkg_unit', 'MEDIUMINT', number('integer', '12 m')),
      gpkg_part: inGeoPackage(made, 'gpkg_part', 'INTEGER', number('integer', 7.9)),
      gpkg_comma: inGeoPackage(made, 'gpkg_comma', 'DOUBLE', number('real', '1,5')),
      gpkg_number: inGeoPackage(made, 'gpkg_number', 'DOUBLE', number('real', 1.5)),
      gpkg_whole: inGeoPackage(made, 'gpkg_whole', 'REAL', number('real', 2)),
      json_hex: inJson('json_hex', number('integer', '0x1F')),
      json_exponent: inJson('json_exponent', number('integer', '1e3')),
      json_list: inJson('json_list', { type: 'string', value: 'plain', other: ['a', 'b'] }),
      json_day: inJson('json_day', date(20240501)),
      json_day_text: inJson('json_day_text', date('20240501')),
      json_ms: inJson('json_ms', date(1_714_521_600_000)),
      json_year: inJson('json_year', date(2024)),
      json_sheet_day: inJson('json_sheet_day', date(45_413)),
      json_seconds: inJson('json_seconds', date(1_714_521_600)),
      json_february: inJson('json_february', date('2024-02-31')),
      json_zeros: inJson('json_zeros', date('0000-00-00')),
      json_before_1970: inJson('json_before_1970', date(-1_000_000_000_000)),
      alias: { files: { 'alias.json': JSON.stringify(underAlias) } },
      one_name: { files: { 'one_name.geojson': geoJson(rings.map((one, i) => polygon(one, { NAME: i === 0 ? null : 'x' }))) } }, // prettier-ignore
      esri_ms: inEsriJson('esri_ms', 'esriFieldTypeDate', date(1_714_521_600_000)),
      esri_text: inEsriJson('esri_text', 'esriFieldTypeDouble', number('real', 'n/a', 1)),
      esri_comma: inEsriJson('esri_comma', 'esriFieldTypeDouble', number('real', '12,5', 1)),
      esri_part: inEsriJson('esri_part', 'esriFieldTypeInteger', number('integer', 2.5, 1)),
      esri_flag: inEsriJson('esri_flag', 'esriFieldTypeSmallInteger', number('integer', true, 1)),
      esri_empty: inEsriJson('esri_empty', 'esriFieldTypeDouble', number('real', '', 1)),
      esri_exponent: inEsriJson('esri_exponent', 'esriFieldTypeDouble', number('real', '1.2e3', 1)),
      esri_number: inEsriJson('esri_number', 'esriFieldTypeDouble', number('real', -1.5, 1)),
      esri_whole: inEsriJson('esri_whole', 'esriFieldTypeInteger', number('integer', '12', 1)),
      esri_null: inEsriJson('esri_null', 'esriFieldTypeInteger', number('integer', null, 1)),
      esri_large_id: inEsriJson('esri_large_id', 'esriFieldTypeInteger', { type: 'string', value: 3e9, other: 1 }),
    }));
  });
  after(() => {
    folder[Symbol.dispose]();
  });

  const refused: Readonly<Record<string, RegExp>> = {
    dbf_comma: refusedNumber('12,5'),
    dbf_thousands: refusedNumber('1,234'),
    dbf_text: refusedNumber('n/a'),
    dbf_part: refusedNumber('1.5'),
    dbf_memo: /has the field "V" of the type M, whose values are not read \(a memo is in another file\)/,
    dbf_binary: /has the field "V" of the type B, whose values are not read \(they are binary\)/,
    gpkg_text: refusedNumber('n/a'),
    gpkg_unit: refusedNumber('12 m'),
    gpkg_part: refusedNumber('7.9'),
    gpkg_comma: refusedNumber('1,5'),
    ...{ esri_text: refusedNumber('n/a'), esri_comma: refusedNumber('12,5'), esri_part: refusedNumber('2.5') },
    ...{ esri_flag: refusedNumber('true'), esri_empty: refusedNumber('') },
    json_hex: /"V" should be of type integer, but is "0x1F"/,
  };
  for (const [id, says] of Object.entries(refused))
    it(`are refused: ${id.replaceAll('_', ' ')}`, () => {
      expect(valueOf(id)).to.match(says);
    });

  it('are missed where the answers need them and no feature has one', () => {
    expect(valueOf('alias')).to.equal('the field "NAME" has no value in any feature: --force accepts that');
    expect(outcomes['one_name']).to.have.property('record').that.includes({ featureCount: 2 });
  });

  const read: Readonly<Record<string, unknown>> = {
    ...{ dbf_exponent: 120_000, dbf_float: -1.5, dbf_overflow: null, dbf_blank: null, dbf_nul: 12 },
    ...{ dbf_day: '2004-01-05', dbf_month_13: null, dbf_no_day: null },
    ...{ gpkg_number: 1.5, gpkg_whole: 2, json_exponent: 1000, json_list: 'plain' },
    ...{ json_day: '2024-05-01', json_day_text: '2024-05-01', json_ms: '2024-05-01', json_before_1970: '1938-04-24' },
    ...{ json_year: null, json_sheet_day: null, json_seconds: null, json_february: null, json_zeros: null },
    ...{ esri_exponent: 1200, esri_number: -1.5, esri_whole: 12, esri_null: null },
    ...{ esri_ms: '2024-05-01', esri_large_id: null },
  };
  for (const [id, value] of Object.entries(read))
    it(`are read as they are meant, or not: ${id.replaceAll('_', ' ')}`, () => {
      expect(valueOf(id)).to.equal(value);
    });
});
