/** `Shapes` by SpatiaLite over the feature tables of a GeoPackage: neither GDAL nor any code of the service. */
import Database from 'better-sqlite3';
import type { Shapes, Stored } from '../support/oracles/area-oracle.ts';

/** Where Debian's libsqlite3-mod-spatialite is found by its name. */
const EXTENSION = 'mod_spatialite';
const SRS = 3161;
/** Segments of a quarter of a circle. */
const QUARTER_SEGMENTS = 100;

/** Metres beyond what matters at which features are cut off: buffers of whole lakes would take minutes. */
const MARGIN_M = 50;
const BOX = `@minX - ${MARGIN_M}, @minY - ${MARGIN_M}, @maxX + ${MARGIN_M}, @maxY + ${MARGIN_M}`;
const CUT = `CASE WHEN r.minx >= @minX - ${MARGIN_M} AND r.miny >= @minY - ${MARGIN_M} AND r.maxx <= @maxX + ${MARGIN_M} AND r.maxy <= @maxY + ${MARGIN_M}
  THEN GeomFromGPB(t.geom) ELSE ST_Intersection(GeomFromGPB(t.geom), BuildMbr(${BOX}, ${SRS})) END`;

export interface SpatialiteShapes extends Shapes<Buffer>, Disposable {
  /** A GeoJSON geometry in degrees, in projection metres. */
  projected(geometry: object): Buffer;
  /** Square metres on the ellipsoid of a GeoJSON geometry in degrees. */
  groundArea(geometry: object): number;
  bounds(shape: Buffer): readonly [minX: number, minY: number, maxX: number, maxY: number];
}

/** Returns null when the machine has no SpatiaLite for SQLite. */
export function openSpatialite(gpkg: string): SpatialiteShapes | null {
  const db = new Database(':memory:');
  try {
    db.loadExtension(EXTENSION);
  } catch {
    db.close();
    return null;
  }
  db.exec('SELECT InitSpatialMetaDataFull(1)');
  db.prepare('ATTACH ? AS land').run(gpkg);
  const one = <T>(sql: string) => {
    const statement = db.prepare<unknown[], T>(`SELECT ${sql}`).pluck();
    return (...values: unknown[]): T => statement.get(...values)!;
  };
  const area = one<number | null>('ST_Area(?)');
  const pair = (name: string) => one<Buffer | null>(`${name}(?, ?)`);
  const [intersection, difference, union] = [pair('ST_Intersection'), pair('ST_Difference'), pair('ST_Union')];
  const buffer = one<Buffer>(`ST_Buffer(?, ?, ${QUARTER_SEGMENTS})`);
  const boundary = one<Buffer>('ST_Boundary(?)');
  const distance = one<number>('ST_Distance(?, ?)');
  const project = one<Buffer>(`ST_Transform(SetSRID(GeomFromGeoJSON(?), 4326), ${SRS})`);
  const ground = one<number>('ST_Area(SetSRID(GeomFromGeoJSON(?), 4326), 1)');
  const edges = ['MinX', 'MinY', 'MaxX', 'MaxY'].map((name) => one<number>(`Mbr${name}(?)`));
  const bounds = (shape: Buffer) =>
    edges.map((edge) => edge(shape)) as unknown as ReturnType<SpatialiteShapes['bounds']>;
  const tables = new Map<string, Database.Statement<unknown[], Row>>();
  const featuresOf = (table: string): Database.Statement<unknown[], Row> => {
    let statement = tables.get(table);
    if (!statement) {
      statement = db.prepare<unknown[], Row>(
        `SELECT t.*, ${CUT} AS shape FROM land."${table}" t JOIN land."rtree_${table}_geom" r ON r.id = t.fid
         WHERE r.maxx >= @minX AND r.maxy >= @minY AND r.minx <= @maxX AND r.miny <= @maxY ORDER BY t.fid`,
      );
      tables.set(table, statement);
    }
    return statement;
  };
  return {
    near(table, shape, metres) {
      const [minX, minY, maxX, maxY] = bounds(shape);
      const rows = featuresOf(table).all({
        ...{ minX: minX - metres, minY: minY - metres, maxX: maxX + metres, maxY: maxY + metres },
      });
      return rows.flatMap(({ fid, shape: found, ...attributes }): Stored<Buffer>[] =>
        found ? [{ id: fid, shape: found, attributes }] : [],
      );
    },
    area: (shape) => (shape ? (area(shape) ?? 0) : 0),
    intersection: (a, b) => (a && b ? intersection(a, b) : null),
    difference: (a, b) => (a && b ? difference(a, b) : a),
    union: (shapes) => (shapes.length === 0 ? null : shapes.reduce((a, b) => union(a, b)!)),
    buffer: (shape, metres) => buffer(shape, metres),
    boundary: (shape) => boundary(shape),
    distance: (a, b) => distance(a, b),
    projected: (geometry) => project(JSON.stringify(geometry)),
    groundArea: (geometry) => ground(JSON.stringify(geometry)),
    bounds,
    [Symbol.dispose]: () => {
      db.close();
    },
  };
}

type Row = { readonly fid: number; readonly shape: Buffer | null } & Stored<Buffer>['attributes'];
