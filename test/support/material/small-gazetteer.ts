import { join } from 'node:path';
import type Gdal from 'gdal-async';
import type { GazetteerRecord } from '../../../src/messages/manifest.ts';
import { gdal } from '../../../workers/geopackage/gdal.ts';
import { importAddresses } from '../../../workers/import/addresses/import-register.ts';
import { temporaryFolder } from '../drivers/folder.ts';
import { writeRegister, type RegisterLayout, type RegisterRow } from './small-register.ts';

/** A GeoPackage that holds nothing yet. */
export function emptyGeoPackage(file: string): string {
  gdal.drivers.get('GPKG').create(file).close();
  return file;
}

/** Opens a snapshot's GeoPackage the way a lookup worker does. */
export function openImmutable(file: string): Gdal.Dataset {
  return gdal.drivers.get('GPKG').open(file, 'r', { IMMUTABLE: 'YES', LIST_ALL_TABLES: 'NO' });
}

export interface ImportedRegister extends Disposable {
  readonly dataset: Gdal.Dataset;
  readonly record: GazetteerRecord;
}

/** Writes a register, imports it and opens the result. */
export async function imported(
  rows: readonly RegisterRow[],
  layout: RegisterLayout = '2026',
): Promise<ImportedRegister> {
  const folder = temporaryFolder();
  writeRegister(folder.path, rows, layout);
  const gpkg = emptyGeoPackage(join(folder.path, 'land.gpkg'));
  const record = await importAddresses({ from: folder.path, gpkg, asOf: '2026-06-26' });
  const dataset = openImmutable(gpkg);
  return {
    dataset,
    record,
    [Symbol.dispose]: () => {
      dataset.close();
      folder[Symbol.dispose]();
    },
  };
}
