import { createHash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { sides, sideTable } from '../../src/catalogue/side-tables.ts';
import type { DataSetRecord } from '../../src/messages/manifest.ts';
import type { StoredGeometry } from '../geopackage/gpkg-geometry.ts';

/**
 * Returns the SHA-256 of what a data set has in the file: its features and those beside them, in their order, because of equals the first one decides, and
 * the area that it knows. Equal contents give equal answers by equal definitions.
 */
export function contentOf(
  db: Database,
  id: string,
  { beside = {}, coverage, fields }: Pick<DataSetRecord, 'beside' | 'coverage' | 'fields'>,
  area: readonly StoredGeometry[],
): string {
  const sum = createHash('sha256').update(JSON.stringify([coverage, fields]));
  for (const { blob } of area) sum.update(blob);
  for (const table of [id, ...sides.filter((side) => beside[side]).map((side) => sideTable(id, side))]) {
    sum.update(`\n${table}`);
    const rows = db.prepare(`SELECT * FROM "${table}" ORDER BY fid`).raw().iterate() as Iterable<unknown[]>;
    for (const [, geometry, ...attributes] of rows) sum.update(geometry as Buffer).update(JSON.stringify(attributes));
  }
  return sum.digest('hex');
}
