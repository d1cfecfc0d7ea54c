import type { Database } from 'better-sqlite3';
import { authorityAreas } from '../../../src/catalogue/authority-areas.ts';
import { fromGpkgGeometry, type StoredGeometry } from '../../geopackage/gpkg-geometry.ts';

/**
 * Reads the area of a conservation authority from the snapshot under construction, by its name or number. Empty when the data set of the
 * authorities does not name it, or is not there at all.
 */
export function authorityArea(db: Database, authority: string): readonly StoredGeometry[] {
  return polygonsOf(db, authority).map(fromGpkgGeometry);
}

/** Says whether the snapshot under construction has the areas of the authorities. */
export function hasAuthorityAreas(db: Database): boolean {
  return columnsOf(db).length > 0;
}

/** Searches every column for the name, because publishers rename columns from time to time. */
function polygonsOf(db: Database, authority: string): Buffer[] {
  const columns = columnsOf(db);
  if (columns.length === 0) return [];
  const isNamed = columns.map((name) => `CAST("${name}" AS TEXT) = @authority COLLATE NOCASE`).join(' OR ');
  const rows = db.prepare(`SELECT geom FROM "${authorityAreas}" WHERE ${isNamed} ORDER BY fid`);
  return rows.pluck().all({ authority }) as Buffer[];
}

function columnsOf(db: Database): string[] {
  const columns = db.pragma(`table_info("${authorityAreas}")`) as { name: string }[];
  return columns.map(({ name }) => name).filter((name) => name !== 'fid' && name !== 'geom');
}
