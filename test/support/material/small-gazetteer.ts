import { join } from 'node:path';
import type Gdal from 'gdal-async';
import type { GazetteerRecord } from '../../../src/messages/manifest.ts';
import { gdal } from '../../../workers/geopackage/gdal.ts';
import type { Suggestion } from '../../../src/messages/lookup.ts';
import { openGazetteer, type Gazetteer } from '../../../workers/engine/gazetteer/open.ts';
import { openSuggester } from '../../../workers/suggest/feature.ts';
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

/** A gazetteer that also completes what is typed; null where the register was imported without suggestions. */
export interface SuggestingGazetteer extends Gazetteer {
  suggest(text: string, limit: number): readonly Suggestion[] | null;
}

/** Opens the gazetteer and the suggestions of a GeoPackage the way a lookup thread does. */
export function openSuggesting(dataset: Gdal.Dataset): SuggestingGazetteer {
  const gazetteer = openGazetteer(dataset);
  const suggester = openSuggester(dataset, gazetteer.store);
  return { ...gazetteer, suggest: (text, limit) => suggester && suggester.suggest(text, limit) };
}
