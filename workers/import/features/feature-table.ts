import type { Attribute } from '../../geopackage/attribute.ts';
import type { Database } from 'better-sqlite3';
import type { FieldDefinition } from '../../../src/catalogue/definition.ts';
import { tableTypes, type GeometryFamily } from '../../geopackage/geometry-family.ts';
import type { StoredGeometry } from '../../geopackage/gpkg-geometry.ts';

export interface Column {
  readonly name: string;
  readonly type: FieldDefinition['type'];
  /** Only the largest of these that is not above a number is stored. */
  readonly steps?: readonly number[];
  /** Values that stand for none. */
  readonly blank?: readonly string[];
}

export interface TableDefinition {
  readonly name: string;
  readonly title: string;
  readonly family: GeometryFamily;
  readonly columns: readonly Column[];
}

const sqlTypes = { string: 'TEXT', integer: 'INTEGER', real: 'REAL', date: 'TEXT' } as const;

/** GeoPackage's own tables that name a feature table, with the column of the name. */
const registers = [
  ['gpkg_extensions', 'table_name'],
  ['gpkg_geometry_columns', 'table_name'],
  ['gpkg_ogr_contents', 'table_name'],
  ['gpkg_contents', 'table_name'],
] as const;

/** Writes rows of one feature table. */
export interface FeatureWriter {
  readonly count: number;
  add(geometry: StoredGeometry, attributes: readonly Attribute[]): void;
  /** Removes all rows after the first `count`. */
  truncate(count: number): void;
  /** Registers the table's bounds and number of rows. */
  finish(): void;
}

/**
 * Creates an empty feature table, replaces one of the same name, and returns its writer. Run it inside a transaction: a
 * rollback brings the old table back. The table has no spatial index yet, and its R-tree triggers need functions that
 * only GDAL has, so the index is built at the end (`createSpatialIndexes`).
 */
export function createFeatureTable(db: Database, table: TableDefinition): FeatureWriter {
  dropFeatureTable(db, table.name);
  const columns = table.columns.map(({ name, type }) => `${quotedName(name)} ${sqlTypes[type]}`);
  const geometry = `geom ${tableTypes[table.family]}`;
  db.exec(
    `CREATE TABLE ${quotedName(table.name)} (${['fid INTEGER PRIMARY KEY NOT NULL', geometry, ...columns].join(', ')})`,
  );
  db.prepare(
    `INSERT INTO gpkg_contents (table_name, data_type, identifier, description, srs_id) VALUES (?, 'features', ?, ?, 3161)`,
  ).run(table.name, table.name, table.title);
  db.prepare(
    `INSERT INTO gpkg_geometry_columns (table_name, column_name, geometry_type_name, srs_id, z, m) VALUES (?, 'geom', ?, 3161, 0, 0)`,
  ).run(table.name, tableTypes[table.family]);
  return writer(db, table);
}

function writer(db: Database, { name, columns }: TableDefinition): FeatureWriter {
  const insert = db.prepare(
    `INSERT INTO ${quotedName(name)} VALUES (${['?', '?', ...columns.map(() => '?')].join(', ')})`,
  );
  let count = 0;
  let bounds = { minX: Infinity, minY: Infinity, maxX: -Infinity, maxY: -Infinity };
  return {
    get count() {
      return count;
    },
    add(geometry, attributes) {
      insert.run(++count, geometry.blob, ...attributes);
      bounds = {
        minX: Math.min(bounds.minX, geometry.minX),
        minY: Math.min(bounds.minY, geometry.minY),
        maxX: Math.max(bounds.maxX, geometry.maxX),
        maxY: Math.max(bounds.maxY, geometry.maxY),
      };
    },
    truncate(to) {
      db.prepare(`DELETE FROM ${quotedName(name)} WHERE fid > ?`).run(to);
      count = to;
    },
    finish() {
      const { minX, minY, maxX, maxY } = bounds;
      if (count > 0) {
        db.prepare(`UPDATE gpkg_contents SET min_x = ?, min_y = ?, max_x = ?, max_y = ? WHERE table_name = ?`).run(
          minX,
          minY,
          maxX,
          maxY,
          name,
        );
      }
      db.prepare(`INSERT INTO gpkg_ogr_contents (table_name, feature_count) VALUES (?, ?)`).run(name, count);
    },
  };
}

/** Removes a feature table with everything that belongs to it. Does nothing when it does not exist. */
export function dropFeatureTable(db: Database, name: string): void {
  db.exec(`DROP TABLE IF EXISTS ${quotedName(name)}`);
  db.exec(`DROP TABLE IF EXISTS ${quotedName(`rtree_${name}_geom`)}`);
  for (const [register, column] of registers) {
    if (hasTable(db, register)) db.prepare(`DELETE FROM ${register} WHERE ${column} = ?`).run(name);
  }
}

function hasTable(db: Database, name: string): boolean {
  return db.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`).get(name) !== undefined;
}

/** A name as SQL has it. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
