import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import type Gdal from 'gdal-async';
import type { DataSetRecord, SnapshotManifest } from '../../src/shared/contract/manifest.ts';
import { parseManifest } from '../../src/shared/snapshots.ts';
import { gdal } from './gdal.ts';

/** A snapshot open in one thread: its own dataset, opened once, read-only and immutable. */
export interface Snapshot {
  readonly manifest: SnapshotManifest;
  /** The manifest's records by data set id. A lookup reads about a hundred of them. */
  readonly dataSets: ReadonlyMap<string, DataSetRecord>;
  readonly dataset: Gdal.Dataset;
  /** Returns the feature table of a data set. @throws Error when the file does not have it. */
  layer(table: string): Gdal.Layer;
  close(): void;
}

/** @throws Error when the manifest cannot be read or has another format. */
export function readManifest(folder: string): SnapshotManifest {
  const file = join(folder, 'manifest.json');
  return parseManifest(readFileSync(file, 'utf8'), file);
}

/**
 * Opens `land.gpkg` of a snapshot folder. For a snapshot under construction, pass the manifest that it will get.
 * @throws Error when a table that the manifest names is missing, or has no spatial index: without one every query is a
 * scan.
 */
export function openSnapshot(folder: string, manifest: SnapshotManifest = readManifest(folder)): Snapshot {
  // Immutable: without locks and WAL, any number of threads and processes may map and read the file.
  const dataset = gdal.drivers
    .get('GPKG')
    .open(join(folder, 'land.gpkg'), 'r', { IMMUTABLE: 'YES', LIST_ALL_TABLES: 'NO' });
  const layers = new Map(dataset.layers.map((layer) => [layer.name, layer]));
  for (const table of Object.keys(manifest.dataSets)) {
    if (!layers.has(table)) throw new Error(`${folder}/land.gpkg has no table "${table}"`);
  }
  return {
    manifest,
    dataSets: new Map(Object.entries(manifest.dataSets)),
    dataset,
    layer(table) {
      const layer = layers.get(table);
      if (!layer) throw new Error(`${folder}/land.gpkg has no table "${table}"`);
      return layer;
    },
    close: () => {
      dataset.close();
    },
  };
}
