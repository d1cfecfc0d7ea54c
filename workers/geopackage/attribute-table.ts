import type Database from 'better-sqlite3';

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
