/** A whole snapshot of the synthetic province: tables, spatial indexes, cell index, an address register. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCatalogue } from '../../../../src/catalogue/read/read-definitions.ts';
import { allAnswers, type Catalogue } from '../../../../src/catalogue/catalogue.ts';
import { rulesVersion } from '../../../../src/catalogue/counting.ts';
import { projectDir } from '../../../../src/project/project.ts';
import type { DataSetRecord, SnapshotManifest } from '../../../../src/messages/manifest.ts';
import { importAddresses } from '../../../../workers/import/addresses/import-register.ts';
import { indexCells } from '../../../../workers/import/build-snapshot.ts';
import { rulesOf } from '../../../../workers/geopackage/snapshot.ts';
import { createLandFile, createSpatialIndexes, landFile } from '../../../../workers/geopackage/land-file.ts';
import { sharedData } from '../../../support/material/shared-data.ts';
import { temporaryFolder } from '../../../support/drivers/folder.ts';
import { generateProvince } from './generate.ts';

/** What it took to make; `peakRssBytes` is that of the whole process while the index was built. */
export interface ProvinceFigures {
  readonly features: number;
  readonly vertices: number;
  readonly seconds: number;
  readonly tableBytes: number;
  readonly indexBytes: number;
  readonly peakRssBytes: number;
}

export interface Province {
  readonly folder: string;
  readonly catalogue: Catalogue;
  readonly figures: ProvinceFigures;
}

/** The real register's extracts where they are at hand, else the bundled sample's addresses. */
export const benchRegister =
  sharedData === null ? join(projectDir, 'layers', 'sample', 'addresses') : join(sharedData, 'nar');

/** The folder that PROVINCE_DIR names, which keeps its province for further runs, or a temporary one. */
export function provinceFolder(): Disposable & { readonly path: string } {
  const kept = process.env['PROVINCE_DIR'];
  return kept === undefined ? temporaryFolder() : { path: kept, [Symbol.dispose]: () => undefined };
}

/** The province in `folder`: as an earlier run left it there, else built. `scale` 1 is about 1.1 million features with 75 million vertices. */
export async function provinceIn(folder: string, scale: number): Promise<Province> {
  const catalogue = readCatalogue(join(projectDir, 'layers'));
  const figuresFile = join(folder, 'figures.json');
  if (!existsSync(figuresFile)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(figuresFile, JSON.stringify(await build(folder, { scale, catalogue })));
  }
  return { folder, catalogue, figures: JSON.parse(readFileSync(figuresFile, 'utf8')) as ProvinceFigures };
}

async function build(
  folder: string,
  { scale, catalogue }: { readonly scale: number; readonly catalogue: Catalogue },
): Promise<ProvinceFigures> {
  createLandFile(folder);
  const generated = generateProvince(folder, catalogue.dataSets, scale);
  const rules = rulesOf(catalogue.answers);
  const dataSets = Object.fromEntries(
    [...generated.tables].map(([id, rows]) => [id, recordOf(id, rows, rulesVersion(rules.get(id)))]),
  );
  const tableBytes = statSync(landFile(folder)).size;
  forgetPeakRss();
  const start = performance.now();
  const cells = await indexCells(folder, {
    answers: allAnswers(catalogue),
    content: { dataSets },
    onProgress: () => undefined,
  });
  const seconds = (performance.now() - start) / 1000;
  const peakRssBytes = peakRss();
  const indexBytes = statSync(landFile(folder)).size - tableBytes;
  createSpatialIndexes(folder, () => undefined);
  const gazetteer = await importAddresses({ from: benchRegister, gpkg: landFile(folder), sample: sharedData === null });
  const manifest: SnapshotManifest = {
    ...{ format: 1, id: 'province', createdAt: new Date().toISOString(), sample: true, definitions: catalogue.version },
    checksum: { file: 'land.gpkg', sha256: '', bytes: 0 },
    ...{ dataSets, gazetteer, cells },
  };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  const { features, vertices } = generated;
  return { features, vertices, seconds, tableBytes, indexBytes, peakRssBytes };
}

/** "5" resets the high-water mark (proc(5)). */
function forgetPeakRss(): void {
  writeFileSync('/proc/self/clear_refs', '5');
}

function peakRss(): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;
}

/** The features are made up so that all of them count. */
function recordOf(id: string, rows: number, countedBy: string | undefined): DataSetRecord {
  return {
    ...{ title: id, publisher: 'generated', licence: 'none', attribution: 'generated' },
    ...{ asOf: '2026-01-01', asOfFrom: 'source manifest', files: [], coverage: 'province', fields: [] },
    ...{ featureCount: rows, vertexCount: 0, repaired: 0, dropped: {}, sample: true, importedAt: '2026-01-01' },
    ...(countedBy === undefined ? {} : { countedBy }),
  };
}
