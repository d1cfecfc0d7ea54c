import type { Database } from 'better-sqlite3';
import { basename, join } from 'node:path';
import type { DataSetDefinition } from '../../src/catalogue/definition.ts';
import { gdal } from '../gdal.ts';
import { createFeatureTable } from './feature-table.ts';
import { findSource } from './find-source.ts';
import { fromGpkgGeometry, toGpkgGeometry, type StoredGeometry } from './gpkg-geometry.ts';
import { loadFeatures, type LoadTarget } from './load-features.ts';
import { boxPolygon } from './ontario-box.ts';
import type { Coverage } from './source-manifest.ts';

/** Areas that data sets know, by data set id; only those with coverage `area` are in it. */
export type CoverageAreas = Map<string, readonly StoredGeometry[]>;

const table = {
  name: 'coverage',
  title: 'Where each data set of limited coverage knows the answer',
  family: 'polygon',
  columns: [{ name: 'data_set', type: 'string' }],
} as const;

/**
 * The polygons inside which a data set knows the answer; none for `province` and `features`.
 * @throws Error when a coverage file cannot be read or holds no polygon.
 */
export async function readCoverage(
  coverage: Coverage,
  { building, preparers }: Pick<LoadTarget, 'building' | 'preparers'>,
): Promise<StoredGeometry[]> {
  if (coverage.kind === 'box') return [toGpkgGeometry(boxPolygon(coverage.box).toWKB(gdal.wkbNDR))!];
  if (coverage.kind !== 'file') return [];
  const polygons: StoredGeometry[] = [];
  try {
    const path = await findSource({
      file: coverage.file,
      unpacked: join(building, 'unpacked', 'coverage'),
      layer: null,
    });
    await loadFeatures(
      { path, options: { layer: null, where: null, crs: null }, rename: {}, dateField: null },
      {
        definition: noFields,
        table,
        building,
        preparers,
        force: false,
        onRead: () => undefined,
        writer: collector(polygons),
      },
    );
  } catch (cause) {
    throw new Error(`coverage ${basename(coverage.file)}: ${cause instanceof Error ? cause.message : ''}`, { cause });
  }
  if (polygons.length === 0) throw new Error(`coverage ${basename(coverage.file)}: has no polygons`);
  return polygons;
}

const noFields: Pick<DataSetDefinition, 'fields' | 'drop'> = { fields: {} };

function collector(polygons: StoredGeometry[]) {
  return {
    get count() {
      return polygons.length;
    },
    add: (geometry: StoredGeometry) => void polygons.push(geometry),
    truncate: (count: number) => void polygons.splice(count),
  };
}

/** The areas of the snapshot that the file was copied from. */
export function storedCoverage(db: Database): CoverageAreas {
  const areas: CoverageAreas = new Map();
  const rows = db.prepare('SELECT data_set, geom FROM coverage ORDER BY fid').all() as {
    data_set: string;
    geom: Buffer;
  }[];
  for (const { data_set: id, geom } of rows) areas.set(id, [...(areas.get(id) ?? []), fromGpkgGeometry(geom)]);
  return areas;
}

/** Writes the table `coverage` anew. */
export function writeCoverage(db: Database, areas: CoverageAreas): void {
  const writer = createFeatureTable(db, table);
  for (const [id, polygons] of areas) for (const polygon of polygons) writer.add(polygon, [id]);
  writer.finish();
}
