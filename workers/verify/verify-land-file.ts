import { meets } from '../geometry/box.ts';
import Database from 'better-sqlite3';
import type Gdal from 'gdal-async';
import { featureTables } from '../../src/catalogue/side-tables.ts';
import type { SnapshotManifest } from '../../src/messages/manifest.ts';
import { gdal, withoutMapping, immutablePath } from '../geopackage/gdal.ts';
import { landFile } from '../geopackage/land-file.ts';
import { ontarioBox } from '../geopackage/ontario-box.ts';
import { verifyChunks } from '../geopackage/checksum.ts';
import { readManifest } from '../geopackage/snapshot.ts';

/** Rows of each table that are read back through the spatial index. */
const SAMPLE_ROWS = 200;

/**
 * Checks that `land.gpkg` agrees with the manifest: the file is not damaged, every table has its rows and an R-tree
 * over all of them, and the R-tree finds a sample of rows.
 * @throws Error that says what is wrong.
 */
export function verifyLandFile(folder: string, dataSets: SnapshotManifest['dataSets']): void {
  verifyTables(folder, dataSets);
  const dataset = withoutMapping(() =>
    gdal.drivers.get('GPKG').open(immutablePath(landFile(folder)), 'r', { IMMUTABLE: 'YES' }),
  );
  try {
    for (const { table } of featureTables(dataSets)) verifyLayer(dataset.layers.get(table));
  } finally {
    dataset.close();
  }
}

function verifyTables(folder: string, dataSets: SnapshotManifest['dataSets']): void {
  const db = new Database(landFile(folder), { readonly: true });
  const count = (table: string) => db.prepare(`SELECT count(*) FROM "${table}"`).pluck().get() as number;
  try {
    const state = db.pragma('integrity_check', { simple: true });
    if (state !== 'ok') throw new Error(`land.gpkg is damaged: ${String(state)}`);
    for (const { table, featureCount } of featureTables(dataSets)) {
      const rows = count(table);
      if (rows !== featureCount) throw new Error(`land.gpkg: "${table}" has ${rows} rows, not ${featureCount}`);
      const indexed = count(`rtree_${table}_geom`);
      if (indexed !== rows) throw new Error(`land.gpkg: the index of "${table}" has ${indexed} of ${rows} rows`);
    }
  } finally {
    db.close();
  }
}

function verifyLayer(layer: Gdal.Layer): void {
  const count = layer.features.count();
  const step = Math.max(1, Math.floor(count / SAMPLE_ROWS));
  for (let fid = 1; fid <= count; fid += step) {
    const problem = problemOfRow(layer, fid);
    if (problem) throw new Error(`land.gpkg: row ${fid} of "${layer.name}" ${problem}`);
  }
}

function problemOfRow(layer: Gdal.Layer, fid: number): string | null {
  const geometry = layer.features.get(fid).getGeometry();
  if (!geometry || geometry.isEmpty()) return 'has no geometry';
  if (!geometry.isValid()) return 'has an invalid geometry';
  const { minX, minY, maxX, maxY } = geometry.getEnvelope();
  if (!meets({ minX, minY, maxX, maxY }, ontarioBox())) return 'lies outside Ontario';
  layer.setSpatialFilter(minX, minY, maxX, maxY);
  const found = layer.features.map((feature) => feature.fid);
  layer.setSpatialFilter(null);
  return found.includes(fid) ? null : 'is not found by the spatial index';
}

/**
 * Checks a published snapshot: the file is the published one, and it is not damaged. Writes the list of its chunks if an earlier version
 * published it without one.
 * @throws Error that says what is wrong.
 */
export function verifySnapshot(
  folder: string,
  onProgress: (step: { readonly kind: 'step'; readonly text: string }) => void,
): void {
  onProgress({ kind: 'step', text: 'comparing the checksum' });
  verifyChunks(folder);
  onProgress({ kind: 'step', text: 'verifying the tables' });
  verifyLandFile(folder, readManifest(folder).dataSets);
}
