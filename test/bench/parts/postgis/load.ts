import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProjectedPoint } from '../../../../workers/geopackage/lambert.ts';
import type { Cluster } from './cluster.ts';

/** Parts of a feature have at most this many vertices, as leaves of the cell index do. */
const MOST_VERTICES = 256;

/** A few generated rings cross themselves, which PostGIS refuses to cut; imported features are valid. */
const valid = 'CASE WHEN ST_IsValid(geom) THEN geom ELSE ST_MakeValid(geom) END';

/** Copies feature tables of a GeoPackage: features in parts, each table in the order of its index, statistics fresh, pages in memory. */
export function loadTables(cluster: Cluster, file: string, tables: readonly string[]): void {
  cluster.sql('CREATE EXTENSION postgis; CREATE EXTENSION pg_prewarm');
  for (const table of tables) {
    execFileSync(
      'ogr2ogr',
      [
        ...['-f', 'PostgreSQL', cluster.connection, file, table, '-oo', 'IMMUTABLE=YES', '-nln', 'whole'],
        ...['-a_srs', 'EPSG:3161', '-nlt', 'GEOMETRY', '--config', 'PG_USE_COPY', 'YES', '-lco', 'UNLOGGED=ON'],
        ...['-lco', 'GEOMETRY_NAME=geom', '-lco', 'FID=fid', '-lco', 'LAUNDER=NO', '-lco', 'SPATIAL_INDEX=NONE'],
      ],
      { stdio: 'inherit' },
    );
    const columns = cluster
      .sql(`SELECT quote_ident(column_name) FROM information_schema.columns WHERE table_name = 'whole'`)
      .split('\n')
      .filter((column) => column !== 'geom');
    cluster.sql(`
      CREATE TABLE "${table}" AS SELECT ${columns.join(', ')}, ST_Subdivide(${valid}, ${MOST_VERTICES}) AS geom FROM whole;
      DROP TABLE whole;
      CREATE INDEX "${table}_geom" ON "${table}" USING gist (geom);
      CLUSTER "${table}" USING "${table}_geom";
      VACUUM ANALYZE "${table}";
      SELECT pg_prewarm('"${table}"'), pg_prewarm('"${table}_geom"')`);
  }
}

/** The places that are asked for, numbered from 1. */
export function loadPlaces(cluster: Cluster, places: readonly ProjectedPoint[]): void {
  const rows = places.map(({ x, y, scale }, i) => `${i + 1}\t${x}\t${y}\t${scale}\n`);
  const file = join(cluster.folder, 'places.tsv');
  writeFileSync(file, rows.join(''));
  cluster.sql(`
    CREATE TABLE read_place (id int, x float8, y float8, scale float8);
    COPY read_place FROM '${file}';
    CREATE TABLE place AS SELECT id, ST_SetSRID(ST_MakePoint(x, y), 3161) AS geom, scale FROM read_place;
    ALTER TABLE place ADD PRIMARY KEY (id);
    VACUUM ANALYZE place`);
}
