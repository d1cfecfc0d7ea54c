import { createHash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import { authorityAreas } from '../../src/shared/catalogue/authority-areas.ts';
import { fromGpkgGeometry, type StoredGeometry } from '../geopackage/gpkg-geometry.ts';
import type { Coverage } from './sources/source-manifest.ts';

/** Returns the conservation authorities whose areas make up a coverage. */
export function authoritiesIn(coverage: Coverage): readonly string[] {
  return coverage.kind === 'parts' ? coverage.authorities : [];
}

/**
 * Reads the area of a conservation authority from the snapshot under construction, by its name or number.
 * @throws Error when it is missing: without it, nobody knows where finding nothing means "no".
 */
export function authorityArea(db: Database, authority: string): StoredGeometry[] {
  const polygons = polygonsOf(db, authority);
  if (polygons.length > 0) return polygons.map(fromGpkgGeometry);
  throw new Error(
    `its coverage is the area of "${authority}", which the data set ${authorityAreas} does not contain: ` +
      `import ${authorityAreas} first, or correct the name in "coverage"`,
  );
}

/** Returns a version that changes with the areas: a data set that covers these areas changes with them. */
export function authoritiesVersion(db: Database, authorities: readonly string[]): string {
  const hash = createHash('sha256');
  for (const authority of authorities)
    for (const polygon of [authority, ...polygonsOf(db, authority)]) hash.update(polygon).update('\0');
  return hash.digest('hex');
}

/** Searches every column for the name, because publishers rename columns from time to time. */
function polygonsOf(db: Database, authority: string): Buffer[] {
  const columns = (db.pragma(`table_info("${authorityAreas}")`) as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => name !== 'fid' && name !== 'geom');
  if (columns.length === 0) return [];
  const isNamed = columns.map((name) => `CAST("${name}" AS TEXT) = @authority COLLATE NOCASE`).join(' OR ');
  const rows = db.prepare(`SELECT geom FROM "${authorityAreas}" WHERE ${isNamed} ORDER BY fid`);
  return rows.pluck().all({ authority }) as Buffer[];
}
