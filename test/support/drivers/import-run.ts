import { join } from 'node:path';
import type { DataSetOutcome, ImportLayersResult, ImportProgress } from '../../../src/messages/import.ts';
import type { DataSetRecord } from '../../../src/messages/manifest.ts';
import { readCatalogue } from '../../../src/catalogue/read/read-definitions.ts';
import { startBuilding } from '../../../src/core/snapshots/building.ts';
import { currentSnapshot } from '../../../src/core/snapshots/current.ts';
import { gdal } from '../../../workers/geopackage/gdal.ts';
import { degrees, lambert } from '../../../workers/geopackage/spatial-reference.ts';
import { importDataSets } from '../../../workers/import/import-data-sets.ts';
import { writeDefinitions } from '../material/layer-definitions.ts';
import { writeSources } from '../material/sources.ts';

/** A folder with definitions, sources and a data folder of its own: the whole of one import. */
export interface ImportRun {
  readonly folder: string;
  readonly definitions: Readonly<Record<string, object>>;
  readonly manifest: object;
  readonly files: Readonly<Record<string, string | Buffer>>;
  readonly partial?: boolean;
  readonly force?: boolean;
  readonly only?: readonly string[];
}

/** Writes definitions and sources below the run's folder, then `importWritten`. */
export function runImport(run: ImportRun): Promise<RunResult> {
  writeDefinitions(join(run.folder, 'layers'), run.definitions);
  writeSources(join(run.folder, 'from'), run.manifest, run.files);
  return importWritten(run);
}

export type RunResult = ImportLayersResult & { readonly snapshot: string | null };

/** Imports what lies in the folder and publishes it; the data folder is `data` below it. */
export async function importWritten(
  { folder, only, partial = false, force = false }: Pick<ImportRun, 'folder' | 'only' | 'partial' | 'force'>,
  onProgress: (progress: ImportProgress) => void = () => undefined,
): Promise<RunResult> {
  using building = startBuilding(dataDirOf({ folder }));
  const catalogue = readCatalogue(join(folder, 'layers'));
  const input = { kind: 'folder', from: join(folder, 'from'), only: only ?? null } as const;
  const result = await importDataSets({ kind: 'import', building, catalogue, input, partial, force }, onProgress);
  if (result.manifest) building.publish(result.manifest);
  return { ...result, snapshot: result.manifest?.id ?? null };
}

export const dataDirOf = ({ folder }: Pick<ImportRun, 'folder'>): string => join(folder, 'data');

/** The record of a data set that was imported. @throws Error with the reason when it failed. */
export function importedRecord(outcomes: readonly DataSetOutcome[], id: string): DataSetRecord {
  const outcome = outcomes.find((candidate) => candidate.id === id);
  if (outcome?.status !== 'imported')
    throw new Error(outcome?.status === 'failed' ? outcome.error : `${id} was not imported`);
  return outcome.record;
}

/** Why a data set failed. @throws Error when it did not. */
export function failureOf(outcomes: readonly DataSetOutcome[], id: string): string {
  const outcome = outcomes.find((candidate) => candidate.id === id);
  if (outcome?.status !== 'failed') throw new Error(`${id} did not fail`);
  return outcome.error;
}

export interface StoredRow {
  readonly fid: number;
  readonly wkt: string;
  readonly areaKm2: number;
  readonly values: Readonly<Record<string, unknown>>;
}

/** All rows of a table of the snapshot in service, read by GDAL. */
export function storedRows(dataDir: string, table: string): StoredRow[] {
  const dataset = gdal.open(join(currentSnapshot(dataDir)!.dir, 'land.gpkg'));
  const rows = dataset.layers.get(table).features.map((feature): StoredRow => {
    const geometry = feature.getGeometry()!;
    const areaKm2 = 'getArea' in geometry ? (geometry as { getArea: () => number }).getArea() / 1e6 : 0;
    return {
      fid: feature.fid,
      wkt: geometry.toWKT(),
      areaKm2,
      values: feature.fields.toObject() as StoredRow['values'],
    };
  });
  dataset.close();
  return rows;
}

/** Data sets whose features hold a place given in degrees, by their spatial index. */
export function featuresAt(dataDir: string, table: string, [lon, lat]: readonly [number, number]): number[] {
  const dataset = gdal.open(join(currentSnapshot(dataDir)!.dir, 'land.gpkg'));
  const point = new gdal.Point(lon, lat);
  point.transform(new gdal.CoordinateTransformation(degrees(), lambert()));
  const layer = dataset.layers.get(table);
  layer.setSpatialFilter(point.x, point.y, point.x + 1e-6, point.y + 1e-6);
  const fids = layer.features.map((feature) => feature.fid);
  dataset.close();
  return fids;
}
