/** A whole snapshot of the synthetic province: tables, spatial indexes, cell index, an address register. */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCatalogue, type Catalogue } from '../../../src/catalogue/read-definitions.ts';
import { projectDir } from '../../../src/config.ts';
import type { DataSetRecord, SnapshotManifest } from '../../../src/contract/manifest.ts';
import { importAddresses } from '../../../workers/gazetteer/import.ts';
import { indexCells } from '../../../workers/import/index-cells.ts';
import { createLandFile, createSpatialIndexes, landFile } from '../../../workers/import/land-file.ts';
import { sharedData } from '../../support/shared-data.ts';
import { generateProvince, type Generated } from './generate.ts';

export interface Province {
  readonly folder: string;
  readonly manifest: SnapshotManifest;
  readonly catalogue: Catalogue;
  readonly generated: Generated;
  readonly build: { readonly seconds: number; readonly tableBytes: number; readonly indexBytes: number };
  readonly register: string;
}

/** The real register's extracts where they are at hand, else the bundled sample's addresses. */
export const benchRegister =
  sharedData === null ? join(projectDir, 'layers', 'sample', 'addresses') : join(sharedData, 'nar');

/** Builds it in `folder`. `scale` 1 is about 1.1 million features with 75 million vertices. */
export async function buildProvince(folder: string, scale: number): Promise<Province> {
  mkdirSync(folder, { recursive: true });
  const catalogue = readCatalogue(join(projectDir, 'layers'));
  createLandFile(folder);
  const generated = generateProvince(folder, catalogue.dataSets, scale);
  const dataSets = Object.fromEntries([...generated.tables].map(([id, rows]) => [id, recordOf(id, rows)]));
  const tableBytes = statSync(landFile(folder)).size;
  const start = performance.now();
  const cells = await indexCells(folder, {
    answers: catalogue.answers,
    content: { dataSets },
    onProgress: () => undefined,
  });
  const seconds = (performance.now() - start) / 1000;
  const indexBytes = statSync(landFile(folder)).size - tableBytes;
  createSpatialIndexes(folder, () => undefined);
  const gazetteer = await importAddresses({ from: benchRegister, gpkg: landFile(folder), sample: sharedData === null });
  const manifest: SnapshotManifest = {
    ...{ format: 1, id: 'province', createdAt: new Date().toISOString(), sample: true, definitions: catalogue.version },
    checksum: { file: 'land.gpkg', sha256: '', bytes: 0 },
    ...{ dataSets, gazetteer, cells },
  };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  const build = { seconds, tableBytes, indexBytes };
  return { folder, manifest, catalogue, generated, build, register: benchRegister };
}

function recordOf(id: string, rows: number): DataSetRecord {
  return {
    ...{ title: id, publisher: 'generated', licence: 'none', attribution: 'generated' },
    ...{ asOf: '2026-01-01', asOfFrom: 'source manifest', files: [], coverage: 'province', fields: [] },
    ...{ featureCount: rows, vertexCount: 0, repaired: 0, dropped: {}, sample: true, importedAt: '2026-01-01' },
  };
}
