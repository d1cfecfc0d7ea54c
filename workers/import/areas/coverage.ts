import type { Database } from 'better-sqlite3';
import { join } from 'node:path';
import type { DataSetDefinition } from '../../../src/catalogue/definition.ts';
import type { DownloadedLayer } from '../../../src/messages/import.ts';
import type { DiskFloor } from '../../../src/messages/disk-floor.ts';
import { gdal } from '../../geopackage/gdal.ts';
import { naming } from '../sources/data-set-input.ts';
import { createFeatureTable } from '../features/feature-table.ts';
import type { Writers } from '../features/side-writers.ts';
import { findSource } from '../sources/find-source.ts';
import { fromGpkgGeometry, toGpkgGeometry, type StoredGeometry } from '../../geopackage/gpkg-geometry.ts';
import { loadChunks, loadFeatures, type LoadTarget } from '../sources/load-features.ts';
import { storedPolygons, unionOf } from './polygons.ts';
import { boxPolygon } from '../../geopackage/ontario-box.ts';
import { pathInside } from '../sources/own-folder.ts';
import type { Coverage } from '../sources/source-manifest.ts';

/** Coverage areas by data set id, only for data sets with coverage `area`. */
export type CoverageAreas = Map<string, readonly StoredGeometry[]>;

const table = {
  name: 'coverage',
  title: 'Where each data set of limited coverage knows the answer',
  family: 'polygon',
  columns: [{ name: 'data_set', type: 'string' }],
} as const;

export interface Reading extends Pick<LoadTarget, 'preparers'> {
  readonly building: DiskFloor;
  /** `land.gpkg` of the snapshot under construction. */
  readonly db: Database;
}

/**
 * Reads the polygons inside which a data set that is not in parts knows the answer; none for `province` and `features`.
 * @throws Error when a coverage file cannot be read or has no polygon.
 */
export async function readCoverage(
  coverage: Exclude<Coverage, { kind: 'parts' }>,
  reading: Reading,
): Promise<StoredGeometry[]> {
  switch (coverage.kind) {
    case 'province':
    case 'features':
      return [];
    case 'box':
      return [toGpkgGeometry(boxPolygon(coverage.box).toWKB(gdal.wkbNDR))!];
    case 'file':
      return readFile(coverage, reading);
  }
}

/** Reads the polygons of a downloaded layer. @throws Error when it cannot be read or has no polygon. */
export function readLayerArea(layer: DownloadedLayer, reading: Reading): Promise<StoredGeometry[]> {
  return collect(layer.name, reading, (target) => loadChunks(layer, new Map(), target));
}

async function readFile(
  { folder, file }: Extract<Coverage, { kind: 'file' }>,
  reading: Reading,
): Promise<StoredGeometry[]> {
  return collect(file, reading, async (target) => {
    const { folder: parent, minFreeBytes } = reading.building;
    const unpacked = join(parent, 'unpacked', 'coverage');
    const path = await findSource({ file: pathInside(folder, file), unpacked, minFreeBytes, layer: null });
    return loadFeatures(
      { path, options: { layer: null, where: null, crs: null }, rename: {}, dateField: null },
      target,
    );
  });
}

/** Collects the polygons that `load` finds. @throws Error that names the source, when it fails or finds none. */
async function collect(
  name: string,
  { building, preparers }: Reading,
  load: (target: LoadTarget) => Promise<unknown>,
): Promise<StoredGeometry[]> {
  const polygons: StoredGeometry[] = [];
  await naming(`coverage ${name}`, () =>
    load({
      definition: noFields,
      table: noColumns,
      building: building.folder,
      preparers,
      force: false,
      onRead: () => undefined,
      knownWords: {},
      writers: collector(polygons),
    }),
  );
  if (polygons.length === 0) throw new Error(`coverage ${name}: has no polygons`);
  return polygons;
}

const noFields: Pick<DataSetDefinition, 'fields'> = { fields: {} };
const noColumns = { ...table, columns: [] };

function collector(polygons: StoredGeometry[]): Writers {
  const add = (geometry: StoredGeometry) => void polygons.push(geometry);
  return {
    of: () => ({ add }),
    get counts() {
      return [polygons.length];
    },
    truncate: ([count = 0]) => void polygons.splice(count),
  };
}

/** Reads the areas of the snapshot that the file was copied from. */
export function storedCoverage(db: Database): CoverageAreas {
  const areas: CoverageAreas = new Map();
  const rows = db.prepare('SELECT data_set, geom FROM coverage ORDER BY fid').all() as {
    data_set: string;
    geom: Buffer;
  }[];
  for (const { data_set: id, geom } of rows) areas.set(id, [...(areas.get(id) ?? []), fromGpkgGeometry(geom)]);
  return areas;
}

/** Replaces the table `coverage`. */
export function writeCoverage(db: Database, areas: CoverageAreas): void {
  const writer = createFeatureTable(db, table);
  for (const [id, polygons] of areas) for (const polygon of dissolved(polygons)) writer.add(polygon, [id]);
  writer.finish();
}

/** Unites polygons that overlap or touch, because the coverage has no edge where one polygon ends inside another. */
function dissolved(polygons: readonly StoredGeometry[]): readonly StoredGeometry[] {
  if (polygons.length < 2) return polygons;
  return storedPolygons(unionOf(polygons));
}
