import Database from 'better-sqlite3';
import { join } from 'node:path';
import { gdal, withoutMapping } from './gdal.ts';
import { lambert } from './spatial-reference.ts';

export const landFile = (folder: string): string => join(folder, 'land.gpkg');

/** Creates `land.gpkg` with the empty table `coverage`, and closes it. */
export function createLandFile(folder: string): void {
  const dataset = gdal.open(landFile(folder), 'w', 'GPKG');
  const options = { SPATIAL_INDEX: 'NO', GEOMETRY_NAME: 'geom', FID: 'fid' };
  const layer = dataset.layers.create('coverage', lambert(), gdal.wkbMultiPolygon, options);
  layer.fields.add(new gdal.FieldDefn('data_set', gdal.OFTString));
  dataset.close();
}

/**
 * Opens `land.gpkg` for writing with better-sqlite3. GDAL has its own SQLite in the same process. A file must never be
 * open in both, because closing it in one releases the other's locks.
 */
export function openForWriting(folder: string): Database.Database {
  const db = new Database(landFile(folder));
  // The building folder is deleted after a crash, and publishing syncs the whole folder.
  db.pragma('synchronous = OFF');
  db.pragma('journal_mode = DELETE');
  db.pragma('cache_size = -65536');
  return db;
}

/** Builds the R-tree of every table that has none, through GDAL, which also registers it. */
export function createSpatialIndexes(folder: string, onTable: (table: string) => void): void {
  const missing = tablesWithoutIndex(folder);
  const dataset = withoutMapping(() => gdal.open(landFile(folder), 'r+', 'GPKG'));
  const results: unknown[] = [];
  try {
    for (const table of missing) {
      onTable(table);
      // oxlint-disable-next-line no-restricted-properties -- its result is kept until the dataset is closed
      results.push(dataset.executeSQL(`SELECT CreateSpatialIndex('${table}', 'geom')`));
    }
  } finally {
    dataset.close();
    results.length = 0;
  }
}

function tablesWithoutIndex(folder: string): string[] {
  const db = new Database(landFile(folder), { readonly: true });
  try {
    return db
      .prepare(
        `SELECT table_name FROM gpkg_geometry_columns WHERE NOT EXISTS
          (SELECT 1 FROM sqlite_master WHERE name = 'rtree_' || table_name || '_geom') ORDER BY table_name`,
      )
      .pluck()
      .all() as string[];
  } finally {
    db.close();
  }
}

/**
 * Makes an empty table of binary rows by id, registered as GeoPackage attributes so that GDAL lists it. Replaces an
 * existing table.
 */
export function createAttributeTable(db: Database.Database, table: string): void {
  db.exec(`DROP TABLE IF EXISTS ${table}; CREATE TABLE ${table} (fid INTEGER PRIMARY KEY, data BLOB NOT NULL)`);
  db.prepare(`DELETE FROM gpkg_contents WHERE table_name = ?`).run(table);
  db.prepare(
    `INSERT INTO gpkg_contents (table_name, data_type, identifier, last_change) VALUES (?, 'attributes', ?, '1970-01-01T00:00:00.000Z')`,
  ).run(table, table);
}
