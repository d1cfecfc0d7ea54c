/** GeoPackages whose schema computes, reads or asks something. */
import Database from 'better-sqlite3';
import { copyFileSync, truncateSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostileCase, Place } from './case.ts';

type Change = (db: Database.Database, place: Place) => void;

function geoPackage(what: string, change: Change, rest: Pick<HostileCase, 'says' | 'before' | 'entry'>): HostileCase {
  return {
    ...{ what, ending: '.gpkg', ...rest },
    write: (path, place) => {
      copyFileSync(join(place.good, 'good.gpkg'), path);
      const db = new Database(path);
      db.unsafeMode();
      db.pragma('writable_schema = ON');
      db.pragma('foreign_keys = OFF');
      // GDAL's triggers call its own functions.
      for (const name of ['ST_IsEmpty', 'ST_MinX', 'ST_MaxX', 'ST_MinY', 'ST_MaxY'])
        db.function(name, { varargs: true }, () => 0);
      change(db, place);
      db.close();
    },
  };
}

/** Makes a view the only layer. */
function viewOf(column: string): Change {
  return (db) => {
    db.exec(`DELETE FROM gpkg_contents; DELETE FROM gpkg_geometry_columns`);
    db.prepare('INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES (?, ?, ?, 0, ?)').run(
      ...['view', 'v', 'v', `CREATE VIEW v AS SELECT fid, geom, ${column} AS NAME FROM good`],
    );
    db.exec(`INSERT INTO gpkg_contents (table_name, data_type, identifier, srs_id) VALUES ('v', 'features', 'v', 4326);
      INSERT INTO gpkg_geometry_columns VALUES ('v', 'geom', 'POLYGON', 4326, 0, 0)`);
  };
}

/** Adds a virtual table with the rows of another file, and a layer that joins them. */
function virtualTable(using: (place: Place) => string): Change {
  return (db, place) => {
    viewOf('(SELECT group_concat(evil) FROM evil)')(db, place);
    db.prepare('INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES (?, ?, ?, 0, ?)').run(
      ...['table', 'evil', 'evil', `CREATE VIRTUAL TABLE evil USING ${using(place)}`],
    );
    db.exec(`INSERT INTO gpkg_contents (table_name, data_type, identifier) VALUES ('evil', 'attributes', 'evil')`);
  };
}

function referenceSystem(text: (place: Place) => string): Change {
  return (db, place) => {
    db.prepare(
      `UPDATE gpkg_spatial_ref_sys SET definition = ?, organization = 'NONE', organization_coordsys_id = 99999`,
    ).run(text(place));
  };
}

const layer = { entry: () => ({ layer: 'v' }) };
const isVirtual = /holds the virtual table "evil", which computes its rows: export its layers to a new GeoPackage/;
const isView = /has the view "v" as a layer, which computes its rows: export its layers to a new GeoPackage/;
const refers = /its CRS refers to a file or a server/;
const text = (place: Place): string => `VirtualText('${place.outside}/canary.csv', 'UTF-8', 1, COMMA)`;
const forEver = '(WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c)';

export const databases: readonly HostileCase[] = [
  geoPackage('a virtual table of a text file outside', virtualTable(text), {
    ...layer,
    says: isVirtual,
    before: 'read outside',
  }),
  geoPackage(
    'a virtual table of a GeoJSON file outside',
    virtualTable(({ outside }) => `VirtualGeoJSON('${outside}/canary.geojson')`),
    {
      ...{ ...layer, says: isVirtual, before: 'read outside' },
    },
  ),
  geoPackage(
    'a virtual table of a file that GDAL opens',
    virtualTable(({ outside }) => `VirtualOGR('${outside}/canary.geojson')`),
    { ...layer, says: isVirtual },
  ),
  geoPackage(
    'a virtual table of an address',
    virtualTable(({ address }) => `VirtualOGR('/vsicurl/${address}/a.geojson')`),
    { ...layer, says: isVirtual },
  ),
  geoPackage('a view that asks a geocoder', viewOf(`ogr_geocode('Toronto')`), { ...layer, says: isView }),
  geoPackage('a view that opens a file', viewOf(`ogr_datasource_load_layers('/etc/hostname')`), {
    ...layer,
    says: isView,
  }),
  geoPackage('a view that loads a library', viewOf(`load_extension('/tmp/none.so')`), { ...layer, says: isView }),
  geoPackage('a view that never ends', viewOf(forEver), { ...layer, says: isView, before: 'never ended' }),
  geoPackage('an endless query as "where"', () => undefined, {
    ...{ says: /the condition ".*" contains a query/, before: 'never ended' },
    entry: () => ({ where: `${forEver} > 0` }),
  }),
  geoPackage('a geocoder as "where"', () => undefined, {
    says: /the condition ".*" does not fit its fields \(NAME\)/,
    entry: () => ({ where: `ogr_geocode('Toronto') IS NOT NULL` }),
  }),
  geoPackage('a library as "where"', () => undefined, {
    says: /the condition ".*" does not fit its fields \(NAME\)/,
    entry: () => ({ where: `load_extension('/tmp/none.so') IS NULL` }),
  }),
  geoPackage(
    'a computed column',
    (db) => {
      db.exec(`ALTER TABLE good ADD COLUMN big AS (zeroblob(900000000))`);
    },
    {
      ...{ says: /has the computed column "big" in the layer "good"/, before: 'imported' },
    },
  ),
  geoPackage(
    'a layer that is not there',
    (db) => {
      db.exec(`INSERT INTO gpkg_contents (table_name, data_type, identifier) VALUES ('none', 'features', 'none')`);
    },
    {
      ...{ says: /lists the layer "none", which it does not hold/, before: 'imported' },
    },
  ),
  geoPackage(
    'an address as the definition of its CRS',
    referenceSystem(({ address }) => `${address}/srs`),
    { says: refers },
  ),
  geoPackage(
    'a grid outside in its CRS',
    referenceSystem(
      ({ outside }) =>
        `GEOGCS["x",DATUM["D",SPHEROID["S",6378137,298],EXTENSION["PROJ4_GRIDS","${outside}/canary.gsb"]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]]`,
    ),
    {
      ...{ says: refers, before: 'read outside' },
    },
  ),
  geoPackage(
    'an SQLite database without the tables of a GeoPackage',
    (db) => {
      db.exec('DROP TABLE gpkg_contents');
    },
    {
      says: /is an SQLite database, but no GeoPackage/,
    },
  ),
  {
    ...{
      what: 'a journal beside it',
      ending: '.gpkg',
      says: /has a journal beside it \(-journal\): close it in the program that wrote it/,
    },
    write: (path, { good }) => {
      copyFileSync(join(good, 'good.gpkg'), path);
      writeFileSync(`${path}-journal`, 'x'.repeat(1000));
    },
  },
  {
    ...{ what: 'a GeoPackage that ends early', ending: '.gpkg', says: /damaged or truncated/ },
    write: (path, { good }) => {
      copyFileSync(join(good, 'good.gpkg'), path);
      truncateSync(path, Math.floor(statSync(path).size / 3));
    },
  },
  geoPackage('a polygon that claims four billion rings', blob('0103000000ffffffff'), {
    says: /is damaged: 1 of 1 features have a geometry that cannot be read/,
  }),
  geoPackage('a line of four billion points', blob('0102000000ffffffff'), {
    says: /is damaged: 1 of 1 features have a geometry that cannot be read/,
  }),
  geoPackage('coordinates that are no numbers', blob(`01030000000100000004000000${'000000000000f87f'.repeat(8)}`), {
    says: /1 of 1 features have a coordinate that is no number/,
  }),
  geoPackage('infinite coordinates', blob(`01030000000100000004000000${'000000000000f07f'.repeat(8)}`), {
    says: /1 of 1 features have a coordinate that is no number/,
  }),
  geoPackage('collections ten thousand deep', blob('010700000001000000'.repeat(10_000)), {
    says: /is damaged: 1 of 1 features have a geometry that cannot be read/,
  }),
];

/** Puts this WKB into the only feature. */
function blob(wkb: string): Change {
  return (db) => {
    const header = Buffer.from('47500001e6100000', 'hex');
    db.prepare('UPDATE good SET geom = ?').run(Buffer.concat([header, Buffer.from(wkb, 'hex')]));
  };
}
